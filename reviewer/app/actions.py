"""The one registry of actions: keys, footer, help, palette and guide all come from here.

An action's words live in the catalogue (``app.act_<id>`` short, ``app.tip_<id>`` a sentence), so a
key that is added here appears everywhere at once, and one that is removed is gone everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scoring import messages


class Place(StrEnum):
    """Where an action can be used; the value is the catalogue key of its heading."""

    GENERAL = "general"
    MAIN = "main"
    EDIT = "edit"
    ADJUDICATE = "adjudicate"
    UNSAVED = "unsaved"
    BOARD = "board"
    HISTORY = "history"
    ABSTRACTION = "abstraction"
    HELP = "help"
    READING = "reading"
    SIGN = "sign"
    DECIDE = "decide"
    REPAIR = "repair"
    DRAFTS = "drafts"
    NAME = "name"
    EXPORT = "export"
    PICK = "pick"
    JUDGE = "judge"
    ALIKE = "alike"
    TYPE = "type"
    CONFIRM = "confirm"
    MESSAGE = "message"
    CANCEL = "cancel"
    DISAGREEMENTS = "disagreements"
    CHAINS = "chains"
    LISTING = "listing"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    Attributes:
        id: stable name; also the binding's id.
        place: where it works.
        keys: every key that does it, in Textual's spelling; the first is the one shown.
        run: the method (``action_<run>``) of the app or of the screen that does it.
        footer: order in the footer from left to right, or None when not shown there.
        keep: how long it stays when the footer is narrow; the lowest leave first.
        palette: offered in the command palette.
    """

    id: str
    place: Place
    keys: tuple[str, ...]
    run: str
    footer: int | None = None
    keep: int = 0
    palette: bool = False

    @property
    def command(self) -> str:
        """The Textual action, addressed so that a click anywhere finds it."""
        owner = "app" if self.place is Place.GENERAL else "screen"
        return f"{owner}.{self.run}"

    @property
    def label(self) -> str:
        """One or two words for the footer."""
        return messages.text(f"app.act_{self.id}")

    @property
    def tip(self) -> str:
        """A sentence for help, tooltip and palette."""
        return messages.text(f"app.tip_{self.id}")

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys as a person reads them on a keyboard."""
        return tuple(dict.fromkeys(key_name(key) for key in self.keys))


ACTIONS: tuple[Action, ...] = (
    Action("sign", Place.MAIN, ("f",), "sign", footer=1, keep=8, palette=True),
    Action("read", Place.MAIN, ("enter",), "read", footer=2, keep=3),
    Action("edit", Place.MAIN, ("e",), "edit", footer=3, keep=5, palette=True),
    Action("repair", Place.MAIN, ("a",), "repair", footer=1, keep=9, palette=True),
    Action("withdraw", Place.MAIN, ("x",), "withdraw", footer=3, keep=3, palette=True),
    Action("return", Place.MAIN, ("v",), "send_back", footer=3, keep=3, palette=True),
    Action("history", Place.MAIN, ("h",), "history", footer=3, keep=2, palette=True),
    Action("drafts", Place.MAIN, ("o",), "drafts", footer=2, keep=5, palette=True),
    Action("next", Place.MAIN, ("n",), "step(1)", palette=True),
    Action("previous", Place.MAIN, ("p",), "step(-1)", palette=True),
    Action("up", Place.MAIN, ("up", "k"), "move(-1)"),
    Action("down", Place.MAIN, ("down", "j"), "move(1)"),
    Action("page_down", Place.MAIN, ("pagedown", "space"), "page(1)"),
    Action("page_up", Place.MAIN, ("pageup", "b"), "page(-1)"),
    Action("first", Place.MAIN, ("home", "g"), "edge(-1)"),
    Action("last", Place.MAIN, ("end", "G"), "edge(1)"),
    Action("swap", Place.MAIN, ("tab", "shift+tab"), "swap"),
    Action("search", Place.MAIN, ("slash",), "search", footer=4, keep=4, palette=True),
    Action("pending", Place.MAIN, ("1",), "show('pendientes')", palette=True),
    Action("signed", Place.MAIN, ("2",), "show('firmados')", palette=True),
    Action("all", Place.MAIN, ("3",), "show('todos')", palette=True),
    Action("returned", Place.MAIN, ("4",), "show('devueltos')", palette=True),
    Action("filter", Place.MAIN, ("m",), "show_next", footer=5, keep=1),
    Action("back", Place.MAIN, ("escape",), "back", footer=2, keep=7),
    Action("reviewer", Place.MAIN, ("r",), "reviewer", palette=True),
    Action("problems", Place.MAIN, ("d",), "problems", palette=True),
    Action("reload", Place.MAIN, ("l",), "reload", palette=True),
    Action("edit_change", Place.EDIT, ("enter",), "change", footer=1, keep=9),
    Action("edit_accept", Place.EDIT, ("space",), "accept", footer=2, keep=6),
    Action("edit_add", Place.EDIT, ("a",), "add", footer=2, keep=4, palette=True),
    Action("edit_remove", Place.EDIT, ("x", "delete"), "remove", footer=3, keep=5),
    Action("edit_undo", Place.EDIT, ("u", "ctrl+z"), "undo", footer=4, keep=7, palette=True),
    Action("edit_redo", Place.EDIT, ("y", "ctrl+y"), "redo", footer=4, keep=3, palette=True),
    Action("edit_save", Place.EDIT, ("g",), "save", footer=5, keep=8, palette=True),
    Action("edit_sign", Place.EDIT, ("f",), "sign", footer=5, keep=7, palette=True),
    Action("edit_leave", Place.EDIT, ("escape",), "leave", footer=6, keep=9),
    Action("edit_up", Place.EDIT, ("up", "k"), "move(-1)"),
    Action("edit_down", Place.EDIT, ("down", "j"), "move(1)"),
    Action("edit_page_up", Place.EDIT, ("pageup", "b"), "page(-1)"),
    Action("edit_page_down", Place.EDIT, ("pagedown",), "page(1)"),
    Action("edit_first", Place.EDIT, ("home",), "edge(-1)"),
    Action("edit_last", Place.EDIT, ("end",), "edge(1)"),
    Action("settle_first", Place.ADJUDICATE, ("1",), "follow(0)", footer=1, keep=8),
    Action("settle_second", Place.ADJUDICATE, ("2",), "follow(1)", footer=1, keep=8),
    Action("settle_other", Place.ADJUDICATE, ("space",), "accept", footer=2, keep=6),
    Action("settle_no", Place.ADJUDICATE, ("x", "delete"), "remove"),
    Action("settle_words", Place.ADJUDICATE, ("enter",), "change", footer=3, keep=3),
    Action("settle_add", Place.ADJUDICATE, ("a",), "add", footer=3, keep=4, palette=True),
    Action("settle_comment", Place.ADJUDICATE, ("m",), "comment", footer=3, keep=4, palette=True),
    Action("settle_undo", Place.ADJUDICATE, ("u", "ctrl+z"), "undo", footer=4, keep=5, palette=True),
    Action("settle_redo", Place.ADJUDICATE, ("y", "ctrl+y"), "redo", palette=True),
    Action("settle_sign", Place.ADJUDICATE, ("f",), "sign", footer=5, keep=9, palette=True),
    Action("settle_leave", Place.ADJUDICATE, ("escape",), "leave", footer=6, keep=9),
    Action("settle_up", Place.ADJUDICATE, ("up", "k"), "move(-1)"),
    Action("settle_down", Place.ADJUDICATE, ("down", "j"), "move(1)"),
    Action("settle_page_up", Place.ADJUDICATE, ("pageup", "b"), "page(-1)"),
    Action("settle_page_down", Place.ADJUDICATE, ("pagedown",), "page(1)"),
    Action("settle_top", Place.ADJUDICATE, ("home",), "edge(-1)"),
    Action("settle_end", Place.ADJUDICATE, ("end",), "edge(1)"),
    Action("keep_draft", Place.UNSAVED, ("enter", "s"), "keep", footer=1, keep=9),
    Action("save_unsaved", Place.UNSAVED, ("g",), "save", footer=2, keep=8),
    Action("throw_away", Place.UNSAVED, ("x",), "throw", footer=3, keep=7),
    Action("view_figures", Place.BOARD, ("1",), "view('figures')"),
    Action("view_parts", Place.BOARD, ("2",), "view('parts')"),
    Action("view_what_if", Place.BOARD, ("3",), "view('what_if')"),
    Action("view_comparison", Place.BOARD, ("4",), "view('comparison')"),
    Action("view_trend", Place.BOARD, ("5",), "view('trend')"),
    Action("view_judge", Place.BOARD, ("6",), "view('judge')"),
    Action("view_cases", Place.BOARD, ("7",), "view('cases')"),
    Action("view_next", Place.BOARD, ("tab", "right"), "turn(1)", footer=1, keep=3),
    Action("view_before", Place.BOARD, ("shift+tab", "left"), "turn(-1)"),
    Action("test_figures", Place.BOARD, ("a",), "test_figures", footer=1, keep=7, palette=True),
    Action("pick_report", Place.BOARD, ("o",), "pick_report", footer=1, keep=4, palette=True),
    Action("judge_run", Place.BOARD, ("p",), "judge_run", footer=1, keep=5, palette=True),
    Action("judge_stop", Place.BOARD, ("x",), "judge_stop", footer=1, keep=9, palette=True),
    Action("export", Place.BOARD, ("e",), "export", footer=1, keep=6, palette=True),
    Action("leave_board", Place.BOARD, ("escape", "t"), "leave", footer=2, keep=8),
    Action("leave_history", Place.HISTORY, ("escape", "h"), "leave", footer=1, keep=9),
    Action("report_open", Place.ABSTRACTION, ("enter",), "open", footer=1, keep=5),
    Action("report_metric", Place.ABSTRACTION, ("m",), "next_metric(1)", footer=2, keep=8, palette=True),
    Action("report_metric_back", Place.ABSTRACTION, ("M",), "next_metric(-1)"),
    Action("metric_1", Place.ABSTRACTION, ("1",), "metric(1)", palette=True),
    Action("metric_2", Place.ABSTRACTION, ("2",), "metric(2)", palette=True),
    Action("metric_3", Place.ABSTRACTION, ("3",), "metric(3)", palette=True),
    Action("metric_4", Place.ABSTRACTION, ("4",), "metric(4)", palette=True),
    Action("metric_5", Place.ABSTRACTION, ("5",), "metric(5)", palette=True),
    Action("metric_6", Place.ABSTRACTION, ("6",), "metric(6)", palette=True),
    Action("report_order", Place.ABSTRACTION, ("o",), "next_order", footer=3, keep=7, palette=True),
    Action("report_show", Place.ABSTRACTION, ("v",), "next_show", footer=4, keep=4, palette=True),
    Action("report_search", Place.ABSTRACTION, ("slash",), "search", footer=5, keep=6, palette=True),
    Action("report_up", Place.ABSTRACTION, ("up", "k"), "move(-1)"),
    Action("report_down", Place.ABSTRACTION, ("down", "j"), "move(1)"),
    Action("report_page_down", Place.ABSTRACTION, ("pagedown", "space"), "page(1)"),
    Action("report_page_up", Place.ABSTRACTION, ("pageup", "b"), "page(-1)"),
    Action("report_first", Place.ABSTRACTION, ("home", "g"), "edge(-1)"),
    Action("report_last", Place.ABSTRACTION, ("end", "G"), "edge(1)"),
    Action("report_swap", Place.ABSTRACTION, ("tab", "shift+tab"), "swap"),
    Action("report_reread", Place.ABSTRACTION, ("l",), "reread", palette=True),
    Action("report_back", Place.ABSTRACTION, ("escape",), "back", footer=6, keep=9),
    Action("report_leave", Place.ABSTRACTION, ("i",), "leave", footer=6, keep=9, palette=True),
    Action("leave_help", Place.HELP, ("escape", "question_mark", "f1"), "leave", footer=1, keep=9),
    Action("scroll_down", Place.READING, ("down", "j"), "scroll(1)"),
    Action("scroll_up", Place.READING, ("up", "k"), "scroll(-1)"),
    Action("scroll_page_down", Place.READING, ("pagedown", "space"), "scroll_page(1)"),
    Action("scroll_page_up", Place.READING, ("pageup", "b"), "scroll_page(-1)"),
    Action("scroll_first", Place.READING, ("home", "g"), "scroll_edge(-1)"),
    Action("scroll_last", Place.READING, ("end", "G"), "scroll_edge(1)"),
    Action("confirm_sign", Place.SIGN, ("enter", "s"), "confirm", footer=1, keep=11),
    Action("other_reviewer", Place.SIGN, ("r",), "other_reviewer", footer=2, keep=3),
    Action("sign_comment", Place.SIGN, ("m",), "comment", footer=2, keep=4),
    Action("close_refused", Place.SIGN, ("escape",), "cancel", footer=3, keep=9),
    Action("confirm_decision", Place.DECIDE, ("enter",), "confirm", footer=1, keep=11),
    Action("close_decision", Place.DECIDE, ("escape",), "cancel", footer=3, keep=9),
    Action("follow_record", Place.REPAIR, ("1",), "way('registro')", footer=1, keep=9),
    Action("sign_anew", Place.REPAIR, ("2",), "way('refirmar')", footer=2, keep=9),
    Action("withdraw_it", Place.REPAIR, ("3",), "way('retirar')", footer=3, keep=9),
    Action("draft_continue", Place.DRAFTS, ("enter",), "choose", footer=1, keep=9),
    Action("draft_discard", Place.DRAFTS, ("x",), "discard", footer=2, keep=8),
    Action("draft_up", Place.DRAFTS, ("up", "k"), "move(-1)"),
    Action("draft_down", Place.DRAFTS, ("down", "j"), "move(1)"),
    Action("draft_later", Place.DRAFTS, ("escape",), "cancel", footer=3, keep=9),
    Action("export_this", Place.EXPORT, ("enter",), "choose", footer=1, keep=10),
    Action("export_up", Place.EXPORT, ("up", "k"), "move(-1)"),
    Action("export_down", Place.EXPORT, ("down", "j"), "move(1)"),
    Action("export_json", Place.EXPORT, ("1",), "form('json')"),
    Action("export_text", Place.EXPORT, ("2",), "form('texto')"),
    Action("export_markdown", Place.EXPORT, ("3",), "form('markdown')"),
    Action("export_html", Place.EXPORT, ("4",), "form('html')"),
    Action("export_junit", Place.EXPORT, ("5",), "form('junit')"),
    Action("pick_this", Place.PICK, ("enter",), "choose", footer=1, keep=9),
    Action("pick_up", Place.PICK, ("up", "k"), "move(-1)"),
    Action("pick_down", Place.PICK, ("down", "j"), "move(1)"),
    Action("pick_other", Place.PICK, ("o",), "other", footer=2, keep=8),
    Action("judge_start", Place.JUDGE, ("enter", "s"), "start", footer=1, keep=9),
    Action("judge_other", Place.JUDGE, ("o",), "other", footer=2, keep=8),
    Action("use_known", Place.ALIKE, ("c",), "known", footer=1, keep=9),
    Action("use_typed", Place.ALIKE, ("s",), "typed", footer=2, keep=9),
    Action("accept_typed", Place.TYPE, ("enter",), "accept", footer=1, keep=11),
    Action("accept_name", Place.NAME, ("enter",), "accept", footer=1, keep=11),
    Action("yes", Place.CONFIRM, ("s",), "yes", footer=1, keep=11),
    Action("close", Place.MESSAGE, ("escape", "enter"), "cancel", footer=1, keep=9),
    Action("cancel", Place.CANCEL, ("escape",), "cancel", footer=3, keep=10),
    Action("dis_gold", Place.DISAGREEMENTS, ("g",), "decide('gold')", footer=1, keep=8, palette=True),
    Action("dis_output", Place.DISAGREEMENTS, ("s",), "decide('salida')", footer=2, keep=8, palette=True),
    Action("dis_both", Place.DISAGREEMENTS, ("a",), "decide('ambos')", footer=3, keep=7, palette=True),
    Action(
        "dis_nothing", Place.DISAGREEMENTS, ("x",), "decide('sin_respuesta')", footer=4, keep=7, palette=True
    ),
    Action("dis_undo", Place.DISAGREEMENTS, ("u",), "undo", footer=5, keep=6, palette=True),
    Action("dis_withdraw", Place.DISAGREEMENTS, ("d",), "withdraw", footer=5, keep=4, palette=True),
    Action("dis_waiting", Place.DISAGREEMENTS, ("1",), "show('pendientes')", palette=True),
    Action("dis_decided", Place.DISAGREEMENTS, ("2",), "show('decididos')", palette=True),
    Action("dis_all", Place.DISAGREEMENTS, ("3",), "show('todos')", palette=True),
    Action("dis_filter", Place.DISAGREEMENTS, ("m",), "show_next", footer=6, keep=1),
    Action("dis_field", Place.DISAGREEMENTS, ("f",), "only_field", footer=6, keep=2, palette=True),
    Action("dis_next_field", Place.DISAGREEMENTS, ("plus",), "step_field(1)", palette=True),
    Action("dis_previous_field", Place.DISAGREEMENTS, ("minus",), "step_field(-1)", palette=True),
    Action("dis_chains", Place.DISAGREEMENTS, ("e",), "chains", footer=7, keep=5, palette=True),
    Action("dis_reviewer", Place.DISAGREEMENTS, ("r",), "reviewer", palette=True),
    Action("dis_reload", Place.DISAGREEMENTS, ("l",), "reload", palette=True),
    Action("chain_approve", Place.CHAINS, ("a",), "decide('aprueba')", footer=1, keep=8, palette=True),
    Action("chain_reject", Place.CHAINS, ("x",), "decide('rechaza')", footer=2, keep=8, palette=True),
    Action("chain_undo", Place.CHAINS, ("u",), "undo", footer=3, keep=6, palette=True),
    Action("chain_withdraw", Place.CHAINS, ("d",), "withdraw", footer=3, keep=4, palette=True),
    Action("list_up", Place.LISTING, ("up", "k"), "move(-1)"),
    Action("list_down", Place.LISTING, ("down", "j"), "move(1)"),
    Action("list_page_down", Place.LISTING, ("pagedown", "space"), "page(1)"),
    Action("list_page_up", Place.LISTING, ("pageup", "b"), "page(-1)"),
    Action("list_first", Place.LISTING, ("home",), "edge(-1)"),
    Action("list_last", Place.LISTING, ("end",), "edge(1)"),
    Action("list_swap", Place.LISTING, ("tab", "shift+tab"), "swap"),
    Action("list_read", Place.LISTING, ("enter",), "read", footer=8, keep=3),
    Action("list_back", Place.LISTING, ("escape",), "back", footer=8, keep=9),
    Action("board", Place.GENERAL, ("t",), "board", footer=6, keep=6, palette=True),
    Action("abstraction", Place.GENERAL, ("i",), "abstraction", footer=7, keep=0, palette=True),
    Action("theme", Place.GENERAL, ("c",), "switch_theme", palette=True),
    Action("help", Place.GENERAL, ("question_mark",), "help", footer=8, keep=9, palette=True),
    Action("help_typing", Place.GENERAL, ("f1",), "help", footer=8, keep=7),
    Action("palette", Place.GENERAL, ("ctrl+p",), "command_palette"),
    Action("quit", Place.GENERAL, ("q",), "leave", footer=9, keep=10, palette=True),
    Action("quit_now", Place.GENERAL, ("ctrl+q",), "leave", footer=9, keep=6),
)

_NAMED_KEYS = frozenset(
    {
        "enter",
        "escape",
        "tab",
        "up",
        "down",
        "pageup",
        "pagedown",
        "home",
        "end",
        "space",
        "shift+tab",
        "left",
        "right",
        "delete",
    }
)
_SYMBOLS = {
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "question_mark": "?",
    "f1": "F1",
    "ctrl+p": "Ctrl+P",
    "ctrl+q": "Ctrl+Q",
    "ctrl+z": "Ctrl+Z",
    "ctrl+y": "Ctrl+Y",
}


def key_name(key: str) -> str:
    """What is printed on the keycap of a key in Textual's spelling."""
    if key in _SYMBOLS:
        return _SYMBOLS[key]
    if key in _NAMED_KEYS:
        return messages.text(f"app.key_{key.replace('+', '_')}")
    return key


def action(name: str) -> Action:
    """The action called ``name``; ``KeyError`` if there is none."""
    for candidate in ACTIONS:
        if candidate.id == name:
            return candidate
    raise KeyError(name)


def of(*places: Place) -> tuple[Action, ...]:
    """The actions of these places, in the order of the registry."""
    return tuple(entry for entry in ACTIONS if entry.place in places)
