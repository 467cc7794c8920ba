"""Refuses parameters in the address that a route does not have: a misspelt one would silently have no effect."""

from fastapi import Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute

from core.interfaces.http.problems import RefusedRequest

_SHOWN = 60


async def check_query(request: Request) -> None:
    """Raises Refusal."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    known = _parameters(route)
    unknown = next((name for name in request.query_params if name not in known), None)
    if unknown is None:
        return
    name = unknown[:_SHOWN]
    if not known:
        raise RefusedRequest(422, "api.problem.no_query", name=name)
    raise RefusedRequest(422, "api.problem.query", name=name, known=", ".join(known))


def _parameters(route: APIRoute) -> list[str]:
    """Those that stand in a model of their own have no kind."""
    found = get_flat_params(route.dependant)
    return [field.alias for field in found if not isinstance(field.field_info, Path | Header | Cookie)]
