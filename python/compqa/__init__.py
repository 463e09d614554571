"""Run compqa from Python.

    import compqa

    result = compqa.validate(judge_frame, people_frame)      # can the judge stand in for people?
    result.headline                                          # the answer, in a sentence
    result.decision                                          # the answer for each criterion, as a frame; also figures, disagreements
    folder = compqa.run(config="compqa.yaml", limit=2)       # a benchmark; its folder
    rows = compqa.read(folder)["leaderboard"]                # a table as a list of dicts
    frame = compqa.read(folder).frame("leaderboard")         # as a frame of pandas, else of polars

Everything is done by the program `compqa` of this package. Keyword arguments are its flags: `limit=2` is `--limit 2`,
`json=True` is `--json`, a list repeats a flag, and `_` stands for `-`.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

__all__ = ["CompqaError", "GateFailed", "InputError", "Tables", "Validation", "call", "program", "read", "run", "validate"]

Table = Union[str, "os.PathLike[str]", Sequence[Mapping[str, Any]], Any]
"""A table: the path of a file, a list of dicts, or a frame of pandas or polars."""


class CompqaError(RuntimeError):
    """The program ended with an exit code that is not 0. `code` is the code, `output` what it printed."""

    def __init__(self, code: int, message: str, output: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.output = output


class InputError(CompqaError):
    """A file, a flag or a configuration is wrong (exit code 2). The message names the place and says what would be right."""


class GateFailed(CompqaError):
    """An answer is not the one of `require`, a figure is below `fail_below`, or points fell by more than `fail_if_worse` (exit code 4)."""


def program() -> str:
    """The path of the program `compqa`: of this environment, else on the PATH."""
    name = "compqa.exe" if sys.platform == "win32" else "compqa"
    folders = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    user = sysconfig.get_path("scripts", f"{os.name}_user") if f"{os.name}_user" in sysconfig.get_scheme_names() else None
    for folder in [*folders, user]:
        if folder and (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"there is no program {name} in {folders[0]} or on the PATH")
    return found


def _flags(flags: Mapping[str, Any]) -> Iterator[str]:
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield flag
        elif isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
            for one in value:
                yield from (flag, str(one))
        else:
            yield from (flag, str(value))


def call(*arguments: str | os.PathLike[str], accept: Sequence[int] = (0,), **flags: Any) -> str:
    """Run a command, for instance `call("show", "run", disagree=True)`, and return what it prints.

    Raises CompqaError where the exit code is not in `accept`, with the program's message.
    """
    command = [program(), *map(os.fspath, arguments), *_flags(flags)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if ended.returncode not in accept:
        error = {2: InputError, 4: GateFailed}.get(ended.returncode, CompqaError)
        raise error(ended.returncode, ended.stderr.strip() or ended.stdout.strip(), ended.stdout)
    return ended.stdout


def run(config: str | os.PathLike[str] = "compqa.yaml", out: str | os.PathLike[str] | None = None, **flags: Any) -> Path:
    """Run a benchmark, and return the folder of its record and reports.

    A run of which some answers or verdicts have no valid result (exit code 3) is returned too; failures.csv has the reasons.
    """
    folder = Path(out) if out is not None else Path("results/runs/latest")
    call("run", accept=(0, 3), config=config, out=out, **flags)
    return folder.resolve()


class Tables(Mapping[str, "list[dict[str, Any]]"]):
    """The tables of a run or a validation, by name: `tables["leaderboard"]` is a list of dicts.

    A value is a number where it reads as one, None where it is missing, else a text.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        own = self.folder / "tables"
        self._files = {path.stem: path for path in sorted((own if own.is_dir() else self.folder).rglob("*.csv"))}
        if not self._files:
            raise FileNotFoundError(f"{self.folder} has no tables (a folder of compqa run, report or validate)")

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return [{column: _value(text) for column, text in row.items()} for row in csv.DictReader(file)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def path(self, name: str) -> Path:
        """The path of a table's file."""
        if name not in self._files:
            raise KeyError(f"there is no table {name!r}; there are {', '.join(self._files)}")
        return self._files[name]

    def frame(self, name: str) -> Any:
        """A table as a DataFrame of pandas, else of polars."""
        return _frame(self[name])


def _frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a DataFrame of pandas, else of polars."""
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError("a frame needs pandas or polars: pip install pandas") from None
        return polars.DataFrame(rows, infer_schema_length=None)
    return pandas.DataFrame(rows)


def _value(text: str | None) -> Any:
    if text is None or text == "":
        return None
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        if str(number) == text or read is float and "_" not in text and text.strip() == text and text.lower() not in ("nan", "inf", "-inf", "infinity"):
            return number
    return text


def read(folder: str | os.PathLike[str]) -> Tables:
    """The tables of a folder that `run` or `validate` has written."""
    return Tables(folder)


class Validation(dict[str, Any]):
    """What `compqa validate --json` prints: its tables are lists of dicts, `result["validation"]`. The properties are frames."""

    @property
    def headline(self) -> str:
        """The answer in a sentence: whether the judge can stand in for a person, on which criteria."""
        findings = self["findings"]  # none without values of judges and people
        return str(findings[0]["text"]) if findings else ""

    @property
    def decision(self) -> Any:
        """A row for each judge and criterion: `answer` is yes, no or not known.

        `single` is the agreement of the judge with a person, `people` that of people with each other, `difference` the first minus the
        second with its 95 % interval, `margin` what was allowed, and `reason` why an answer is not known.
        """
        columns = ["n", "single", "people", "difference", "difference_low", "difference_high", "margin", "reason"]
        rows = [row for row in self["validation"] if row["margin"] is not None]  # of several references one has the decision
        return _frame([{"judge": row["judge"], "criterion": row["criterion"], "answer": row["decision"] or "not known",
                        **{name: row[name] for name in columns}} for row in rows])

    @property
    def figures(self) -> Any:
        """A row for each judge, criterion and reference (the people's mean, majority, or one person): the columns of validation.csv."""
        return _frame(self["validation"])

    @property
    def disagreements(self) -> Any:
        """The items on which judge and people differ most, with texts and the judge's reason; the largest gaps first."""
        return _frame(self["disagreements"])


def validate(judge: Table, people: Table, out: str | os.PathLike[str] | None = None, **flags: Any) -> Validation:
    """Say whether a judge can stand in for people.

    `judge` and `people` are files, lists of dicts or frames: a row an item, with an id or the texts, and a column a criterion
    (people's: also a row for each item and `annotator`). Returns what `compqa validate --json` prints, with frames. The page and the
    tables are kept where `out` names a folder. With `require="yes"`, GateFailed is raised where the answer is another, with
    `fail_below="alpha=0.6"` where a figure is less. InputError says which column or value cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="compqa-") as work:
        files = [_file(table, Path(work) / f"{side}.csv") for side, table in (("judge", judge), ("people", people))]
        text = call("validate", files[0], people=files[1], json=True, out=out if out is not None else Path(work) / "out", **flags)
    return Validation(json.loads(text))


def _file(table: Table, path: Path) -> str:
    """The path of a table's file, which is written if the table is none."""
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    if hasattr(table, "write_csv"):  # polars
        table.write_csv(path)
    elif hasattr(table, "to_csv"):  # pandas
        table.to_csv(path, index=False)
    else:
        rows = list(table)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
    return str(path)
