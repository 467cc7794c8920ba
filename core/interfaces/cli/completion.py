"""`completion bash|zsh|fish`: a script with which the shell completes commands and options."""

import argparse
from argparse import Namespace
from collections.abc import Iterator

from core.interfaces.cli.console import say
from core.platform.settings.settings import Settings

_BASH = """_graphtalk() {{
  local words="" at="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
{cases}
    esac
  done
  case "$at" in
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _graphtalk graphtalk"""
_FISH = 'complete -c graphtalk -n "{when}" -a "{word}" -d "{help}"'


def write(settings: Settings, options: Namespace) -> int:
    from core.interfaces.cli.main import parser

    del settings
    commands = dict(_commands(parser()))
    if options.shell == "fish":
        for path, (words, _) in commands.items():
            for word, about in words.items():
                say(_FISH.format(when=_when(path, words), word=word, help=about.replace('"', "'")))
        return 0
    if options.shell == "zsh":
        say("autoload -U +X bashcompinit && bashcompinit")
    paths = [path for path in commands if path]
    cases = "\n".join(f'      "{_above(path)} {path[-1]}") at="{" ".join(path)}" ;;' for path in paths)
    known = "\n".join(
        f'    "{" ".join(path)}") words="{" ".join([*below, *flags])}" ;;' for path, (below, flags) in commands.items()
    )
    say(_BASH.format(cases=cases, words=known))
    return 0


def _above(path: tuple[str, ...]) -> str:
    return " ".join(path[:-1])


def _when(path: tuple[str, ...], words: dict[str, str]) -> str:
    if not path:
        return "__fish_use_subcommand"
    return f"__fish_seen_subcommand_from {path[-1]}; and not __fish_seen_subcommand_from {' '.join(words)}"


def _commands(
    root: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[dict[str, str], list[str]]]]:
    """(words before, (subcommands with what they do, options)) of every command."""
    below = [action for action in root._actions if isinstance(action, argparse._SubParsersAction)]
    named = {action.dest: action.help or "" for group in below for action in group._choices_actions}
    yield path, (named, [flag for action in root._actions for flag in action.option_strings])
    for group in below:
        for name, command in group.choices.items():
            yield from _commands(command, (*path, name))
