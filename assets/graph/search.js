// Enter in a search takes the first suggestion, as soon as it is there; Escape puts the list away.
// By the search: what is suggested for it.
const SUGGESTIONS = {
  ".st-key-graph-find": ".st-key-graph-suggestions button",
  ".st-key-graph-path-find": ".st-key-graph-chips-path button",
};
const heard = new WeakMap();
const TYPING_PAUSE = 450; // milliseconds after which what was typed is searched for and suggested
const SUGGESTED_WITHIN = 30000;
const TAKEN_WITHIN = 4000;

function takeFirst(field, suggestions) {
  const asked = field.value;
  let until = Date.now() + SUGGESTED_WITHIN;
  let taken = false;
  const look = () => {
    const first = document.querySelector(suggestions);
    if (document.activeElement !== field || field.value !== asked || (!first && taken)) return;
    if (first && !taken) [taken, until] = [true, Date.now() + TAKEN_WITHIN];
    first?.click(); // again where the list was drawn anew at that moment, and so did not hear it
    if (Date.now() < until) setTimeout(look, TYPING_PAUSE);
  };
  setTimeout(look, TYPING_PAUSE);
}

function hear(event) {
  const find = Object.keys(SUGGESTIONS).find((search) => event.target.closest?.(search));
  if (find && event.key === "Enter" && event.target.tagName === "INPUT") takeFirst(event.target, SUGGESTIONS[find]);
  if (find && event.key === "Escape") document.activeElement.blur();
}

export default function ({ parentElement }) {
  if (!heard.has(parentElement)) {
    document.addEventListener("keydown", hear);
    heard.set(parentElement, true);
  }
  return () => { document.removeEventListener("keydown", hear); heard.delete(parentElement); };
}
