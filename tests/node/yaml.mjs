// The part of YAML 1.2 that docs/digest.md section 1 names, as a recursive descent over characters. It trusts that
// the text is valid: what makes it so is not the matter of the digest.

const ESCAPES = {
  0: "\0", a: "\x07", b: "\b", t: "\t", "\t": "\t", n: "\n", v: "\v", f: "\f", r: "\r", e: "\x1b", " ": " ", '"': '"',
  "/": "/", "\\": "\\", N: "\x85", _: "\xa0", L: "\u2028", P: "\u2029",
};
const HEX_DIGITS = { x: 2, u: 4, U: 8 };

export function readYaml(bytes) {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes); // which drops a byte order mark
  return new Reader(text.replace(/\r\n?/g, "\n")).document();
}

export function resolve(text) {
  if (/^(|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?[0-9]+$/.test(text)) return Number(text);
  if (/^0o[0-7]+$/.test(text) || /^0x[0-9a-fA-F]+$/.test(text)) return Number(text);
  if (/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(text)) return Number(text);
  return text;
}

// Joins the lines of a plain or quoted scalar: one break is a space, each blank line more a line feed.
function fold(lines) {
  let text = lines[0];
  let blank = 0;
  for (const line of lines.slice(1)) {
    if (line === "") {
      blank += 1;
    } else {
      text += (blank ? "\n".repeat(blank) : " ") + line;
      blank = 0;
    }
  }
  return text;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(what) {
    const line = this.text.slice(0, this.at).split("\n").length;
    throw new Error(`line ${line}: ${what}`);
  }

  get column() {
    return this.at - (this.text.lastIndexOf("\n", this.at - 1) + 1);
  }

  isMarker(marker) {
    return this.column === 0 && this.text.startsWith(marker, this.at) && /^(\s|$)/.test(this.text.slice(this.at + 3, this.at + 4));
  }

  get ended() {
    return this.at >= this.text.length || this.isMarker("...");
  }

  spaces() {
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at += 1;
  }

  lineEnd() {
    const end = this.text.indexOf("\n", this.at);
    return end < 0 ? this.text.length : end;
  }

  // Skips space, line breaks and comments.
  skip() {
    for (;;) {
      this.spaces();
      const next = this.text[this.at];
      if (next === "#" && (this.at === 0 || /\s/.test(this.text[this.at - 1]))) this.at = this.lineEnd();
      else if (next === "\n") this.at += 1;
      else return;
    }
  }

  document() {
    this.skip();
    if (this.isMarker("---")) {
      this.at += 3;
      this.skip();
    }
    const value = this.block(0);
    this.skip();
    if (!this.ended) this.fail("more than one value");
    return value;
  }

  isDash() {
    return this.text[this.at] === "-" && /^[\s]?$/.test(this.text[this.at + 1] ?? "");
  }

  // The node at the next token, which must be indented by `indent` at least; else it is empty.
  block(indent) {
    this.skip();
    if (this.ended || this.column < indent) return null;
    if (this.isDash()) return this.sequence(this.column);
    return this.isKey() ? this.mapping(this.column) : this.inline(indent);
  }

  // A node that starts on this line and is neither a block mapping nor a block sequence.
  inline(indent) {
    const first = this.text[this.at];
    if (first === "[" || first === "{") return this.flow();
    if (first === '"' || first === "'") return this.quoted();
    if (first === "|" || first === ">") return this.blockScalar(indent - 1);
    return resolve(this.plain(indent));
  }

  isKey() {
    const start = this.at;
    const first = this.text[this.at];
    let found = false;
    if (first === '"' || first === "'") {
      this.quoted();
      found = /^[ \t]*:(\s|$)/.test(this.text.slice(this.at, this.lineEnd() + 1));
    } else if (!/[[{|>]/.test(first)) {
      const line = this.text.slice(this.at, this.lineEnd());
      found = /:(\s|$)/.test(line.replace(/\s#.*$/, ""));
    }
    this.at = start;
    return found;
  }

  key() {
    const first = this.text[this.at];
    if (first === '"' || first === "'") {
      const name = this.quoted();
      this.spaces();
      this.at += 1;
      return name;
    }
    const line = this.text.slice(this.at, this.lineEnd());
    const length = line.search(/:(\s|$)/);
    this.at += length + 1;
    return line.slice(0, length).trimEnd();
  }

  mapping(column) {
    const value = {};
    do {
      if (!this.isKey()) this.fail("a key is missing");
      const name = this.key();
      define(value, name, this.memberValue(column));
      this.skip();
    } while (!this.ended && this.column === column);
    return value;
  }

  memberValue(column) {
    const line = this.at;
    this.spaces();
    if (!/[\n#]/.test(this.text[this.at] ?? "\n")) return this.inline(column + 1);
    this.at = line;
    this.skip();
    // A sequence may stand as far left as its key.
    if (!this.ended && this.column === column && this.isDash()) return this.sequence(column);
    return this.block(column + 1);
  }

  sequence(column) {
    const value = [];
    do {
      if (!this.isDash()) this.fail("a dash is missing");
      this.at += 1;
      value.push(this.block(column + 1));
      this.skip();
    } while (!this.ended && this.column === column && this.isDash());
    return value;
  }

  plain(indent) {
    const lines = [];
    for (;;) {
      const line = this.text.slice(this.at, this.lineEnd());
      const content = line.replace(/\s#.*$/, "");
      lines.push(content.trim());
      this.at += line.length;
      if (content.length < line.length || !this.continues(indent, lines)) return fold(lines);
    }
  }

  // Moves to the next line of a plain scalar if it has one, and counts the blank lines between.
  continues(indent, lines) {
    const start = this.at;
    const blank = [];
    while (this.at < this.text.length) {
      this.at += 1;
      this.spaces();
      if (this.text[this.at] !== "\n") break;
      blank.push("");
    }
    const more = !this.ended && !this.isMarker("---") && this.column >= indent && this.text[this.at] !== "#";
    if (more) lines.push(...blank);
    else this.at = start;
    return more;
  }

  quoted() {
    return this.text[this.at] === '"' ? this.doubleQuoted() : this.singleQuoted();
  }

  singleQuoted() {
    let end = this.at + 1;
    while (this.text[end] !== "'" || this.text[end + 1] === "'") end += this.text[end] === "'" ? 2 : 1;
    const inner = this.text.slice(this.at + 1, end).replaceAll("''", "'");
    this.at = end + 1;
    return foldQuoted(inner.split("\n"));
  }

  doubleQuoted() {
    // What an escape stands for is put where no folding reaches it: as a private token until the end.
    const literal = [];
    let inner = "";
    this.at += 1;
    while (this.text[this.at] !== '"') {
      if (this.at >= this.text.length) this.fail("a quoted scalar does not end");
      if (this.text[this.at] !== "\\") {
        inner += this.text[this.at];
        this.at += 1;
      } else if (this.text[this.at + 1] === "\n") {
        inner += "\x01\n"; // joins the lines with nothing between
        this.at += 2;
      } else {
        literal.push(this.escape());
        inner += "\x02";
      }
    }
    this.at += 1;
    return foldQuoted(inner.split("\n")).replaceAll(/\x01[ \n]?/g, "").replaceAll("\x02", () => literal.shift());
  }

  escape() {
    const name = this.text[this.at + 1];
    const digits = HEX_DIGITS[name] ?? 0;
    const code = this.text.slice(this.at + 2, this.at + 2 + digits);
    this.at += 2 + digits;
    if (!digits) return ESCAPES[name] ?? this.fail(`unknown escape ${name}`);
    const point = parseInt(code, 16);
    return digits === 8 ? String.fromCodePoint(point) : String.fromCharCode(point);
  }

  blockScalar(parent) {
    const header = /^([|>])([-+]?)([1-9]?)([-+]?)/.exec(this.text.slice(this.at, this.at + 4));
    const chomp = header[2] || header[4];
    this.at = this.lineEnd() + 1;
    let indent = header[3] ? Math.max(parent, 0) + Number(header[3]) : 0;
    const lines = [];
    while (this.at < this.text.length) {
      const line = this.text.slice(this.at, this.lineEnd());
      const depth = line.length - line.trimStart().length;
      if (line.replace(/^ +/, "") !== "") {
        indent ||= depth;
        if (depth < indent || depth <= parent) break;
      }
      lines.push(line.slice(indent || line.length));
      this.at += line.length + 1;
    }
    this.at = Math.min(this.at, this.text.length);
    return chomped(lines, chomp, header[1] === ">");
  }

  flow() {
    const isSequence = this.text[this.at] === "[";
    const close = isSequence ? "]" : "}";
    const value = isSequence ? [] : {};
    this.at += 1;
    for (;;) {
      this.skip();
      if (this.text[this.at] === close) break;
      if (isSequence) value.push(this.flowNode());
      else this.flowMember(value);
      this.skip();
      if (this.text[this.at] === ",") this.at += 1;
      else if (this.text[this.at] !== close) this.fail(`"," or "${close}" is missing`);
    }
    this.at += 1;
    return value;
  }

  flowMember(value) {
    const isQuoted = /["']/.test(this.text[this.at]);
    const name = isQuoted ? this.quoted() : this.flowPlain();
    this.skip();
    if (this.text[this.at] !== ":") return define(value, name, null);
    this.at += 1;
    this.skip();
    return define(value, name, /[,}]/.test(this.text[this.at]) ? null : this.flowNode());
  }

  flowNode() {
    const first = this.text[this.at];
    if (first === "[" || first === "{") return this.flow();
    return first === '"' || first === "'" ? this.quoted() : resolve(this.flowPlain());
  }

  flowPlain() {
    const found = /^(?:[^,[\]{}:#]|:(?![\s,[\]{}])|(?<!\s)#)+/.exec(this.text.slice(this.at));
    if (!found) this.fail("a scalar is missing");
    this.at += found[0].length;
    return foldQuoted(found[0].trimEnd().split("\n"));
  }
}

// A member called "__proto__" is a member like any other.
function define(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

// Space around the line breaks of a quoted scalar does not count; that at its two ends does.
function foldQuoted(lines) {
  const last = lines.length - 1;
  const cut = lines.map((line, index) => {
    const ended = index < last ? line.replace(/[ \t]+$/, "") : line;
    return index > 0 ? ended.replace(/^[ \t]+/, "") : ended;
  });
  if (last > 0 && cut[last] === "") return fold(cut.slice(0, -1).concat("\x03")).replace("\x03", "");
  return fold(cut);
}

function chomped(lines, chomp, isFolded) {
  let count = lines.length;
  while (count > 0 && lines[count - 1] === "") count -= 1;
  const content = lines.slice(0, count);
  const text = isFolded ? foldBlock(content) : content.join("\n");
  if (chomp === "-") return text;
  if (chomp === "+") return text + "\n".repeat(lines.length - count + (count ? 1 : 0));
  return count ? text + "\n" : "";
}

// Folding of a block scalar: lines that begin with space keep the breaks around them.
function foldBlock(lines) {
  let text = "";
  let blank = 0;
  let before = null;
  for (const line of lines) {
    if (line === "") {
      blank += 1;
      continue;
    }
    const isKept = /^[ \t]/.test(line);
    if (before === null) text = "\n".repeat(blank);
    else if (isKept || before) text += "\n".repeat(blank + 1);
    else text += blank ? "\n".repeat(blank) : " ";
    text += line;
    before = isKept;
    blank = 0;
  }
  return text;
}
