"""Labels: one purpose each, and one fixed number of parts each."""

import ast
from collections import defaultdict
from pathlib import Path

import p2pdice
from p2pdice.fairness.labels import PREFIX, Label

MAKERS = {"frame", "digest", "sign", "holds", "verify"}
# One purpose, but more than one place: made and checked, signed and verified, or handed on by name.
SHARED = {Label.SEAT_COMMIT: 2, Label.RECORD: 4, Label.SIGNED_BODY: 2, Label.CHANNEL_LISTENER: 2,
          Label.CHANNEL_DIALLER: 2, Label.SHARE: 2, Label.ACT: 0, Label.ANSWER: 0}


def calls() -> dict[Label, list[int | None]]:
    """For each label, the number of parts of every call that makes bytes under it (None: given as a list)."""
    found: dict[Label, list[int | None]] = defaultdict(list)
    for path in sorted(Path(p2pdice.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for place, part in enumerate(node.args):
                if (name in MAKERS and isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
                        and part.value.id == "Label"):
                    parts = node.args[place + 1:]
                    listed = any(isinstance(item, ast.Starred) for item in parts)
                    found[Label[part.attr]].append(None if listed else len(parts))
    return found


def test_no_label_is_used_twice() -> None:
    """Each label stands at one place of the code, or at the places of one purpose."""
    assert {label: len(places) for label, places in calls().items()} == {
        label: SHARED.get(label, 1) for label in Label if SHARED.get(label, 1)}


def test_each_label_has_one_number_of_parts() -> None:
    """Wherever bytes are made under a label, they have the same number of parts."""
    for label, numbers in calls().items():
        assert len(set(numbers)) == 1, label


def test_labels_are_distinct_words_under_one_prefix() -> None:
    """No two labels are equal, none holds the prefix's separator, and the version is in all of them."""
    assert len({label.value for label in Label}) == len(Label.__members__)  # an alias would be a second purpose
    assert all("/" not in label and label.isascii() for label in Label)
    assert PREFIX == "p2pdice/1/"
