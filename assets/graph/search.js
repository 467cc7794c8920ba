// Enter in the search takes the first suggestion, as soon as it is there; Escape puts the list away.
const heard = new WeakMap();
const TYPING_PAUSE = 450; // milliseconds after which what was typed is searched for and suggested
const SUGGESTED_WITHIN = 4000;

function takeFirst(find) {
  const until = Date.now() + SUGGESTED_WITHIN;
  const look = () => {
    const first = find.querySelector(".st-key-graph-suggestions button");
    if (first) first.click();
    else if (Date.now() < until) setTimeout(look, TYPING_PAUSE);
  };
  setTimeout(look, TYPING_PAUSE);
}

function hear(event) {
  const find = event.target.closest?.(".st-key-graph-find");
  if (find && event.key === "Enter" && event.target.tagName === "INPUT") takeFirst(find);
  if (find && event.key === "Escape") document.activeElement.blur();
}

export default function ({ parentElement }) {
  if (!heard.has(parentElement)) {
    document.addEventListener("keydown", hear);
    heard.set(parentElement, true);
  }
  return () => { document.removeEventListener("keydown", hear); heard.delete(parentElement); };
}
