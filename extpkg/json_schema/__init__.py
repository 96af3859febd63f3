"""JSON Schema 2020-12 under R-SCH: local, bounded, exact.

`check_schema` says what is wrong with a schema; `compile_schema` makes one that judges values. The first
accepts no schema that the second cannot evaluate within the bounds of R-SCH-5.
"""

from extpkg.json_schema.check import check_input_root, check_schema
from extpkg.json_schema.fault import SchemaFault
from extpkg.json_schema.keywords import subschemas
from extpkg.json_schema.reference import locate, resolve_reference
from extpkg.json_schema.schema import Schema, compile_schema
from extpkg.json_schema.wording import Violation

__all__ = [
    "Schema",
    "SchemaFault",
    "Violation",
    "check_input_root",
    "check_schema",
    "compile_schema",
    "locate",
    "resolve_reference",
    "subschemas",
]
