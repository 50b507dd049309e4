"""The look: two themes of our own, and the names under which text styles are asked for.

Nothing depends on these colours: every state they underline is also a word or a symbol.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="clinica-oscura",
    dark=True,
    primary="#6cc3b4",
    secondary="#8fb3d9",
    accent="#e3b464",
    warning="#e3b464",
    error="#ef8a80",
    success="#8fce9b",
    foreground="#dbe4e4",
    background="#11181b",
    surface="#151e22",
    panel="#1c282d",
    variables={
        "quiet": "#8a9a9e",
        "rule": "#2d3c42",
        "row-cursor": "#24484a",
        "row-cursor-blur": "#1e2e33",
        "chip": "#4a3a1a",
        "chip-text": "#f3d18e",
        "input-cursor-text-style": "reverse",
        "block-cursor-background": "#24484a",
        "block-cursor-foreground": "#eef5f4",
        "block-cursor-text-style": "none",
        "scrollbar": "#2d3c42",
        "scrollbar-hover": "#3d5259",
        "scrollbar-active": "#6cc3b4",
        "scrollbar-background": "#151e22",
        "scrollbar-background-hover": "#151e22",
        "scrollbar-background-active": "#151e22",
        "scrollbar-corner-color": "#151e22",
    },
)

LIGHT = Theme(
    name="clinica-clara",
    dark=False,
    primary="#0d6a60",
    secondary="#2b5f95",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#a52a24",
    success="#2a6b38",
    foreground="#1d2a2c",
    background="#eef1ee",
    surface="#fafbf9",
    panel="#e2e8e5",
    variables={
        "quiet": "#5a6a6c",
        "rule": "#c5cfcb",
        "row-cursor": "#cbe5df",
        "row-cursor-blur": "#e2ebe8",
        "chip": "#f4e3bd",
        "chip-text": "#5e3f00",
        "input-cursor-text-style": "reverse",
        "block-cursor-background": "#cbe5df",
        "block-cursor-foreground": "#12201f",
        "block-cursor-text-style": "none",
        "scrollbar": "#c5cfcb",
        "scrollbar-hover": "#a9b8b3",
        "scrollbar-active": "#0d6a60",
        "scrollbar-background": "#fafbf9",
        "scrollbar-background-hover": "#fafbf9",
        "scrollbar-background-active": "#fafbf9",
        "scrollbar-corner-color": "#fafbf9",
    },
)

THEMES = (DARK, LIGHT)

QUIET = "$quiet"
STRONG = "bold"
HEADING = "bold $primary"
RULE = "$rule"
GOOD = "$success"
BAD = "bold $error"
CARE = "$warning"
KEY = "bold $primary"
LINK = "$secondary"
