# SPDX-License-Identifier: MIT
"""Writes Docs/Mutants.md."""

INTRODUCTION = """# Mutants

This page shows which mistakes the checks of the [rules](Contract.md) and the suites of tests detect. A mutant is one deliberate
mistake in a copy of the package. `make mutants` builds that copy once, enables one mutant at a time, and runs the rules or the suites
that must detect it. It also writes this page. The run of a suite ends soon after the first failed assertion, so the page names
only one suite for most mutants.

The mutants are entries in data files. [Tests/Mutants](../Tests/Mutants/README.md) explains their format and how to add one.
"""


def write(path, mutants, results, unproven, program):
    killed = sum(1 for mutant in mutants if results[mutant.name][0])
    lines = [
        INTRODUCTION,
        f"{len(mutants)} mutants, {killed} killed.",
        "",
        "| Mutant | Mistake | Detected by | Not detected by |",
        "|---|---|---|---|",
    ]
    group = None
    for mutant in mutants:
        if mutant.group != group:
            lines.append(f"| **{mutant.group}** | | | |")
            group = mutant.group
        by, missed = results[mutant.name]
        # A bar would end the cell.
        what = mutant.description.replace("|", "\\|")
        lines.append(f"| `{mutant.name}` | {what} | {' '.join(by) or '**nothing**'} | {' '.join(missed)} |")
    lines += ["", "## Rules that no mutant breaks", ""]
    lines += [f"- {rule} ({program.levels[rule]}): {program.statements[rule]}" for rule in unproven] or ["None."]
    with open(path, "w") as page:
        page.write("\n".join(lines) + "\n")
