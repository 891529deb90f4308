"""Prints what a document of diagnostics says, a line each: level, place, message."""
import json
import os
import sys

form, path = sys.argv[1:]
with open(path) as file:
    document = json.load(file)


def say(level, place, message, option=None):
    print(level, place + ":", message, *([f"[{option}]"] if option else []))


def gcc_place(entry):
    if not entry["locations"]:
        return "nowhere"
    (location,) = entry["locations"]
    caret, finish = location["caret"], location["finish"]
    assert caret["line"] == finish["line"]
    return f"{os.path.basename(caret['file'])}:{caret['line']}:{caret['column']}-{finish['column'] + 1}"


def sarif_place(locations):
    if not locations or "physicalLocation" not in locations[0]:
        return "nowhere"
    place = locations[0]["physicalLocation"]
    region = place["region"]
    assert place["artifactLocation"]["uri"].startswith("file:///") or ":" not in place["artifactLocation"]["uri"]
    return (f"{os.path.basename(place['artifactLocation']['uri'])}:{region['startLine']}:{region['startColumn']}-"
            f"{region['endColumn']}")


if form == "json":
    for entry in document:
        say(entry["kind"], gcc_place(entry), entry["message"], entry.get("option", "").removeprefix("-W"))
        for child in entry["children"]:
            say(child["kind"], gcc_place(child), child["message"])
else:
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert run["tool"]["driver"]["name"] == "tkc" and run["tool"]["driver"]["version"]
    for result in run["results"]:
        say(result["level"], sarif_place(result.get("locations")), result["message"]["text"],
            result.get("ruleId"))
        for related in result.get("relatedLocations", ()):
            say("note", sarif_place([related]), related["message"]["text"])
