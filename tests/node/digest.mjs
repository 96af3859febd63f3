// The Definition digest after docs/digest.md and nothing else: no code of the project, no package.
//
//   node digest.mjs PACKAGE...     prints [{"path", "digest", "projection"}, ...]

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "./yaml.mjs";

// Section 3: strings compare by code points, not by UTF-16 code units.
function byCodePoints(first, second) {
  const [a, b] = [Array.from(first), Array.from(second)];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = a[index].codePointAt(0) - b[index].codePointAt(0);
    if (difference) return difference;
  }
  return a.length - b.length;
}

const sortedStrings = (strings) => [...strings].sort(byCodePoints);
const sortedBy = (values, ...names) =>
  [...values].sort((a, b) => names.reduce((order, name) => order || byCodePoints(a[name], b[name]), 0));

// Section 5.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

// Section 4.
const MAPS = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SINGLES = new Set(
  ("items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
    "not if then else contentSchema").split(" "),
);

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

function schema(value) {
  return isObject(value) ? mapped(value, keyword) : value;
}

function keyword(value, name) {
  if (MAPS.has(name)) return mapped(value, schema);
  if (LISTS.has(name)) return value.map(schema);
  if (SINGLES.has(name)) return schema(value);
  if (name === "required") return sortedStrings(value);
  if (name === "dependentRequired") return mapped(value, sortedStrings);
  if (name === "enum") return distinct(value);
  if (name === "type" && Array.isArray(value)) return value.length === 1 ? value[0] : sortedStrings(value);
  return value;
}

function distinct(members) {
  const byText = new Map(members.map((member) => [canonical(member), member]));
  return sortedStrings(byText.keys()).map((text) => byText.get(text));
}

// Sections 2 and 3.
const lowered = (value) => (value.in === "header" ? value.name.toLowerCase() : value.name);

function profile(value) {
  if (value.type !== "api_key") return { id: value.id, type: value.type };
  return { id: value.id, type: value.type, in: value.in, name: lowered(value) };
}

function parameter(value) {
  const style = value.style ?? "simple";
  return { from: value.from, in: value.in, name: lowered(value), style, explode: value.explode ?? style === "form" };
}

function body(value) {
  if (!value) return null;
  const mappings = value.mappings.map(({ from, to }) => ({ from, to }));
  return { content_type: value.content_type, mappings: sortedBy(mappings, "to") };
}

function response(value) {
  return {
    mode: value.mode,
    success_statuses: [...value.success_statuses].sort((a, b) => a - b),
    content_types: sortedStrings(value.content_types ?? []),
    max_bytes: value.max_bytes ?? 65536,
  };
}

function binding(value) {
  if (!value) return null;
  const headers = Object.entries(value.static_headers ?? {});
  return {
    method: value.method,
    path: value.path,
    static_headers: Object.fromEntries(headers.map(([name, text]) => [name.toLowerCase(), text])),
    parameters: sortedBy((value.parameters ?? []).map(parameter), "in", "name"),
    body: body(value.body),
    response: response(value.response),
  };
}

function action(value) {
  const { auth, catalog } = value;
  const { summary, description, safety, input_schema: input, output_schema: output, example } = catalog;
  return {
    name: value.name,
    auth: auth ? { profile: auth.profile, required_scopes: sortedStrings(auth.required_scopes ?? []) } : null,
    catalog: {
      summary,
      description,
      safety: { class: safety.class, idempotent: safety.idempotent, destructive: safety.destructive },
      input_schema: schema(input),
      output_schema: schema(output),
      example: example ?? null,
    },
    binding: binding(value.binding),
  };
}

function projection(folder) {
  const meta = readYaml(readFileSync(join(folder, "meta.yaml")));
  const actions = meta.actions.map(({ file }) => action(readYaml(readFileSync(join(folder, file)))));
  return {
    contract: "extpkg.definition/1",
    domain: meta.domain,
    version: meta.version,
    name: meta.name,
    description: meta.description,
    endpoint: meta.endpoint ? { base_url: meta.endpoint.base_url.replace(/\/$/, "") } : null,
    auth: { profiles: sortedBy((meta.auth?.profiles ?? []).map(profile), "id") },
    actions: sortedBy(actions, "name"),
  };
}

// Section 6.
const results = process.argv.slice(2).map((path) => {
  const bytes = canonical(projection(path));
  return { path, digest: `sha256:${createHash("sha256").update(bytes, "utf8").digest("hex")}`, projection: bytes };
});
process.stdout.write(`${JSON.stringify(results)}\n`);
