"""Communities of a drawing."""

from core.graph.network.communities import communities


def test_two_dense_parts_are_two_communities_with_the_most_central_first() -> None:
    ids = tuple("abcdefgh")
    left, right = (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c")), (("e", "f"), ("e", "g"), ("f", "g"))
    edges = (*tuple((one, other, 1.0) for one, other in (*left, *right)), ("d", "e", 0.1))
    first, second = communities(ids, edges)
    assert first[0] == "a"
    assert (set(first), set(second)) == (set("abcd"), set("efg"))
    assert communities(ids, edges) == (first, second)


def test_without_relations_there_are_none() -> None:
    assert communities(("a", "b", "c"), ()) == communities((), ()) == ()
