# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# validate.py SCHEMA.json FILE.json - checks a file against the part of JSON Schema that docs/report-schema.json uses. A key of the
# schema that is not known here is a fault, so that nothing goes unchecked.
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
IGNORED = {"$schema", "$id", "title", "then", "else"}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def faults(value, schema, at):
    out = []
    for key, rule in schema.items():
        if key == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, n) for n in names):
                out.append(f"{at}: not of type {rule}: {value!r}")
        elif key == "const":
            if value != rule:
                out.append(f"{at}: not {rule!r}: {value!r}")
        elif key == "enum":
            if value not in rule:
                out.append(f"{at}: not one of {rule}: {value!r}")
        elif key == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                out.append(f"{at}: does not match {rule}: {value!r}")
        elif key == "minimum":
            if isinstance(value, (int, float)) and value < rule:
                out.append(f"{at}: less than {rule}: {value!r}")
        elif key == "minLength":
            if isinstance(value, str) and len(value) < rule:
                out.append(f"{at}: too short")
        elif key == "required":
            out += [f"{at}: {k} is missing" for k in rule if k not in value]
        elif key == "properties":
            for k, s in rule.items():
                if isinstance(value, dict) and k in value:
                    out += faults(value[k], s, f"{at}.{k}")
        elif key == "items":
            for i, v in enumerate(value if isinstance(value, list) else []):
                out += faults(v, rule, f"{at}[{i}]")
        elif key == "anyOf":
            if all(faults(value, s, at) for s in rule):
                out.append(f"{at}: fits none of the forms")
        elif key == "if":
            out += faults(value, schema["else" if faults(value, rule, at) else "then"], at)
        elif key not in IGNORED:
            out.append(f"{at}: schema key {key} is not known to this script")
    return out


def main():
    with open(sys.argv[1]) as s, open(sys.argv[2]) as f:
        found = faults(json.load(f), json.load(s), "report")
    print("\n".join(found) or "valid")
    return 1 if found else 0


sys.exit(main())
