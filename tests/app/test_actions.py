"""One registry of actions: keys, screens, help and guide say the same."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from reviewer.app.actions import ACTIONS, Place, action, of
from reviewer.app.application import ReviewApp
from reviewer.app.disagreements.chains import ChainsScreen
from reviewer.app.disagreements.help import PLACES as DESK_PLACES
from reviewer.app.disagreements.list_screen import ListScreen
from reviewer.app.disagreements.screen import DisagreementsScreen
from reviewer.app.screens.abstraction import AbstractionScreen
from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.alike import AlikeDialog
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.dialog import ConfirmDialog, Dialog, MessageDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.export import ExportDialog
from reviewer.app.screens.help import SHOWN, HelpScreen, help_lines
from reviewer.app.screens.history import HistoryScreen
from reviewer.app.screens.judge import JudgeDialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.pick import PickDialog
from reviewer.app.screens.reading import ReadingScreen
from reviewer.app.screens.repair import RepairDialog
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.screens.unsaved import UnsavedDialog
from reviewer.app.widgets.action_bar import cell_width, chosen_actions
from scoring import messages
from tests.support import ROOT

if TYPE_CHECKING:
    from reviewer.app.actions import Action

OWNERS: dict[Place, type] = {
    Place.GENERAL: ReviewApp,
    Place.MAIN: MainScreen,
    Place.EDIT: EditScreen,
    Place.ADJUDICATE: AdjudicateScreen,
    Place.UNSAVED: UnsavedDialog,
    Place.BOARD: BoardScreen,
    Place.HISTORY: HistoryScreen,
    Place.ABSTRACTION: AbstractionScreen,
    Place.HELP: HelpScreen,
    Place.READING: ReadingScreen,
    Place.SIGN: SignDialog,
    Place.DECIDE: DecideDialog,
    Place.REPAIR: RepairDialog,
    Place.DRAFTS: DraftsDialog,
    Place.NAME: NameDialog,
    Place.EXPORT: ExportDialog,
    Place.PICK: PickDialog,
    Place.JUDGE: JudgeDialog,
    Place.ALIKE: AlikeDialog,
    Place.TYPE: TypeDialog,
    Place.CONFIRM: ConfirmDialog,
    Place.MESSAGE: MessageDialog,
    Place.CANCEL: Dialog,
    Place.DISAGREEMENTS: DisagreementsScreen,
    Place.CHAINS: ChainsScreen,
    Place.LISTING: ListScreen,
}
# A browser or the editor's terminal takes these, or a terminal cannot tell them from another key.
TAKEN = {"ctrl+m", "ctrl+i", "ctrl+h", "ctrl+enter", "ctrl+w", "ctrl+t", "ctrl+n", "f5", "f11", "f12"}


def test_ids_are_unique_and_every_place_has_an_owner() -> None:
    assert [name for name, times in Counter(entry.id for entry in ACTIONS).items() if times > 1] == []
    assert set(OWNERS) == set(Place)


@pytest.mark.parametrize("entry", ACTIONS, ids=lambda entry: entry.id)
def test_every_action_can_be_run_and_is_described(entry: Action) -> None:
    method = entry.run.partition("(")[0]
    assert hasattr(OWNERS[entry.place], f"action_{method}")
    for language in messages.LANGUAGES:
        messages.set_language(language)
        assert 0 < len(entry.label) <= 16
        assert entry.tip.endswith(".")
        assert all(entry.shown_keys)
    assert not TAKEN & set(entry.keys)


@pytest.mark.parametrize(
    "places",
    [
        (Place.MAIN, Place.GENERAL),
        (Place.EDIT, Place.GENERAL),
        (Place.ADJUDICATE, Place.GENERAL),
        (Place.BOARD, Place.READING),
        (Place.HISTORY, Place.READING),
        (Place.ABSTRACTION,),
        (Place.UNSAVED, Place.CANCEL),
        (Place.REPAIR, Place.CANCEL),
        (Place.EXPORT, Place.CANCEL),
        (Place.PICK, Place.CANCEL),
        (Place.JUDGE, Place.CANCEL),
        (Place.ALIKE, Place.CANCEL),
        (Place.HELP, Place.READING),
        (Place.CONFIRM, Place.CANCEL),
        (Place.NAME, Place.CANCEL),
        (Place.DISAGREEMENTS, Place.LISTING, Place.GENERAL),
        (Place.CHAINS, Place.LISTING, Place.GENERAL),
    ],
    ids="+".join,
)
def test_no_key_does_two_things_in_one_place(places: tuple[Place, ...]) -> None:
    keys = Counter(key for entry in of(*places) for key in entry.keys)
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize("language", messages.LANGUAGES)
@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_the_footer_fits_and_keeps_help_quit_and_what_the_screen_is_for(
    width: int, language: messages.Language
) -> None:
    messages.set_language(language)
    hidden = {"help_typing", "quit_now"}
    offered = [entry for entry in of(Place.MAIN, Place.GENERAL) if entry.id not in hidden]
    kept = chosen_actions(offered, width)
    assert {"sign", "help", "quit"} <= {entry.id for entry in kept}
    assert sum(cell_width(entry) for entry in kept) + 2 * (len(kept) - 1) + 1 <= width


def test_the_help_names_every_key_of_the_registry() -> None:
    text = "\n".join(line.plain for line in help_lines(100))
    for place in SHOWN:
        for entry in of(place):
            assert " ".join(entry.tip.split()[:5]) in text
            assert "  ".join(entry.shown_keys) in text


def test_the_guide_has_exactly_the_keys_of_the_registry() -> None:
    guide = (ROOT / "docs" / "guia.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", guide, flags=re.MULTILINE)
    wanted = [
        (" o ".join(f"`{key}`" for key in entry.shown_keys), entry.tip)
        for place in (*SHOWN, *DESK_PLACES)
        for entry in of(place)
    ]
    assert rows == wanted


def test_an_unknown_action_is_an_error() -> None:
    with pytest.raises(KeyError):
        action("volar")
