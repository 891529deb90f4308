"""manual.py - Man pages and bash completion of tkc, made from its --help.

Usage: manual.py TKC FOLDER writes tkc.1, tkc-run.1, tkc-trace.1, tkc-tune.1 and tkc.bash.
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^  (-\S+(?:[ ,].*?)?)(?:\s{2,}(.*))?$")


def read_help(command):
    """(description, [(heading, [(option, [line, ...])])], footer) of a command's help."""
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    usage = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    groups, footer, current = [], [], None
    for line in lines[usage + 1 :]:
        option = OPTION.match(line)
        if re.match(r"^[A-Z][A-Za-z ]+:$", line):
            current = []
            groups.append((line[:-1], current))
        elif current is None or not line.strip():
            continue
        elif line.startswith("  ") and option:
            current.append((option.group(1).strip(), [option.group(2)] if option.group(2) else []))
        elif line.startswith("  ") and not line.startswith("   "):
            name, _, meaning = line.strip().partition(" ")
            current.append((name, [meaning.strip()]))
        elif line.startswith("   "):
            current[-1][1].append(line.strip())
        else:
            footer.append(line)
    return lines[:usage], groups, footer


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def page(name, version, parts):
    description, groups, footer = parts
    title = name.replace(" ", "-")
    lines = [f'.TH {title.upper()} 1 "" "tkc {version}" "User Commands"', ".SH NAME"]
    lines += [roff(f"{title} - {description[0].rstrip('.,')}"), ".SH SYNOPSIS", f".B {name}", "[options] input"]
    lines += [".SH DESCRIPTION", ".nf", *map(roff, description), ".fi"]
    for heading, options in groups:
        lines.append(f".SH {heading.upper()}")
        for option, meaning in options:
            lines += [".TP", ".B " + roff(option), ".nf", *map(roff, meaning), ".fi"]
    lines += [".SH EXIT STATUS", ".nf", *(roff(line.removeprefix("Exit status: ")) for line in footer), ".fi"]
    return "\n".join(lines) + "\n"


def spellings(groups):
    """Each way to write an option."""
    found = []
    for _, options in groups:
        for option, _ in options:
            found += [part for part in re.split(r"[ ,]", option) if re.match(r"--?[a-zA-Z]", part)]
    return sorted(set(found))


def kinds(groups):
    """What --emit takes."""
    text = next(meaning for _, options in groups for option, meaning in options if option.startswith("--emit"))
    names = []
    for line in text[1:]:
        head = re.match(r"((?:[a-z-]+, )*[a-z-]+) ", line + " ")
        names += head.group(1).split(", ")
    return names


COMPLETION = """# Completion of tkc for bash.
_tkc() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options="{options}"
  [ "${{COMP_WORDS[1]}}" != run ] || options="{run_options}"
  [ "${{COMP_WORDS[1]}}" != trace ] || options="{trace_options}"
  [ "${{COMP_WORDS[1]}}" != tune ] || options="{tune_options}"
  case $word in
  --emit=*) COMPREPLY=($(compgen -W "{kinds}" -- "${{word#*=}}")); return ;;
  -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
  esac
  if [ "$before" = --emit ] || {{ [ "$before" = = ] && [ "${{COMP_WORDS[COMP_CWORD-2]}}" = --emit ]; }}; then
    COMPREPLY=($(compgen -W "{kinds}" -- "$word"))
    return
  fi
  if [ "${{COMP_WORDS[1]}}" = tune ] && [ $COMP_CWORD = 2 ]; then
    COMPREPLY=($(compgen -W "prepare merge show" -- "$word"))
    return
  fi
  if [ "${{COMP_WORDS[1]}}" = trace ] || [ "${{COMP_WORDS[1]}}" = tune ]; then
    COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -f -X '!*.tk' -- "$word") $(compgen -d -- "$word"))
  [ $COMP_CWORD != 1 ] || COMPREPLY+=($(compgen -W "run trace tune" -- "$word"))
}}
complete -o filenames -F _tkc tkc
"""


def main():
    tkc, folder = sys.argv[1:]
    version = subprocess.run([tkc, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    whole, run, trace, tune = (read_help([tkc, *command]) for command in ([], ["run"], ["trace"], ["tune"]))
    texts = {
        "tkc.1": page("tkc", version, whole),
        "tkc-run.1": page("tkc run", version, run),
        "tkc-trace.1": page("tkc trace", version, trace),
        "tkc-tune.1": page("tkc tune", version, tune),
        "tkc.bash": COMPLETION.format(options=" ".join(spellings(whole[1])), run_options=" ".join(spellings(run[1])),
                                      trace_options=" ".join(spellings(trace[1])), tune_options=" ".join(spellings(tune[1])),
                                      kinds=" ".join(kinds(whole[1]))),
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


main()
