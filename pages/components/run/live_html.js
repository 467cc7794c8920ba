// Keyed parts of HTML that update in place, clicks that come back, and a stream of changes while a run is under way.
// All HTML comes escaped from Python; this file makes no markup of data.

const states = new WeakMap();
const streams = new Map();
const NUMBERS = "graphtalk-numbers";
const PEEK_AFTER = 250; // ms of the pointer on a citation
const PEEK_ROOM = 330; // px of height for the card
const GAP = 24; // px between a conversation and the source beside it
const BESIDE = 340; // px that a source takes at least
const HOLD = 800; // ms after which Streamlit no longer scrolls away from a question that is to be read
const TURN_TOP = 64; // px above a question that is scrolled to
const ANNOUNCED_AFTER = 100; // ms in which a screen reader sees that the words before are gone
const ANNOUNCED_FOR = 8000; // ms after which the words are no part of the page any more
const PATIENCE = 8000; // ms after which what was sent comes back, unless the server is still drawing
const CITES = ".gt-cite[data-opens], .gt-source[data-opens]";
const ON_THE_WAY = 1000; // ms until Streamlit says that it draws what was clicked
let sent = {};
let acted = -ON_THE_WAY;
let elsewhere = false; // whether the turn that is drawn next was asked in another tab
const tabs = new BroadcastChannel("graphtalk-turns");
const said = document.body.appendChild(Object.assign(document.createElement("p"), { className: "gt-hidden" }));
said.setAttribute("role", "status");
let saying = 0;
tabs.addEventListener("message", onNews);
document.addEventListener("visibilitychange", () => document.hidden || onNews({ data: thread() })); // from another device

document.addEventListener("keydown", onKey);
document.addEventListener("keydown", onSending, true);
document.addEventListener("click", onSending, true);
document.addEventListener("click", onActing, true);
document.addEventListener("change", onActing, true);
document.addEventListener("keydown", (event) => event.key === "Enter" && onActing(event), true);
document.addEventListener("click", (event) => closeMenus(event.target));
document.addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));
document.addEventListener("click", closeSidebar);

export default function ({ data, parentElement, setTriggerValue }) {
  const state = states.get(parentElement) ?? mount(parentElement);
  const asked = data.kind === "turn" && state.fresh && Boolean(sent.element);
  const begins = asked || (data.kind === "turn" && state.fresh && Boolean(data.stream) && !elsewhere);
  const opens = data.kind === "turn" && state.fresh && isInAddress(parentElement);
  if (data.kind === "turn" && state.fresh) taken();
  if (data.kind === "refused" && state.fresh) giveBack(data.parts[0][0] === "fault" ? sent.text : "");
  if (data.kind === "home" && state.fresh) requestAnimationFrame(() => hold(state.root, () => 0));
  if (data.kind === "language") document.cookie = `graphtalk-language=${data.parts[0][0]}; path=/; max-age=31536000; samesite=lax`;
  state.fresh = false;
  state.trigger = (event, value) => setTriggerValue("action", { event, value: value ?? "" });
  state.root.className = `gt-live ${data.kind}${state.root.dataset.folded === "true" ? " is-folded" : ""}`;
  showNumbers(state);
  state.root.style.colorScheme = getComputedStyle(document.querySelector(".stApp") ?? document.body).colorScheme;
  const fresh = new Set(data.parts.map(([id]) => id));
  for (const [id, part] of state.parts) if (!fresh.has(id)) drop(state, id, part);
  patch(state, data.parts);
  if (asked) tabs.postMessage(thread());
  settled(state);
  const ended = (state.stream || asked) && !data.stream && data.kind === "turn";
  if (begins) requestAnimationFrame(() => readFromTop(state.root));
  else if (ended) stay(state.root);
  else if (opens) requestAnimationFrame(() => hold(state.root, topOf(state.root), false));
  if (ended) ready(state);
  if (state.stream?.url !== data.stream) listen(state, data.kind, data.stream);
  return () => unmount(parentElement, state);
}

// On a phone the sidebar lies over the page, and Streamlit leaves it there when a page or chat is chosen in it.
function closeSidebar(event) {
  const chosen = event.target.closest?.('[data-testid="stSidebar"] :is([data-testid="stPageLink"] a, .st-key-new-chat button, .st-key-threads [data-testid="stButton"] button)');
  if (chosen && matchMedia("(max-width: 768px)").matches) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
}

// The answer is whole: said once to those who do not see it.
function ready(state) {
  say(state.root.querySelector("[data-ready]")?.dataset.ready ?? "");
  focusUnlessElsewhere();
}

function say(words) {
  clearTimeout(saying);
  said.textContent = ""; // the same words as before would not be said
  saying = setTimeout(() => {
    said.textContent = words;
    saying = setTimeout(() => (said.textContent = ""), ANNOUNCED_FOR);
  }, ANNOUNCED_AFTER);
}

// What is offered once was taken or declined here: the buttons are gone, and other tabs draw the turn without them.
function settled(state) {
  if (!state.settles || state.root.querySelector("[data-once]")) return;
  state.settles = false;
  tabs.postMessage(thread());
  say(state.root.querySelector("[data-settled]")?.textContent ?? "");
  focusUnlessElsewhere();
}

// Unless the reader has gone elsewhere meanwhile; a touch screen would cover the answer with its keyboard.
function focusUnlessElsewhere() {
  const busy = document.activeElement !== document.body || !getSelection().isCollapsed || document.querySelector("dialog[open]");
  if (!busy && !hasKeyboardOnScreen()) focusQuestion();
}

function hasKeyboardOnScreen() {
  return matchMedia("(pointer: coarse)").matches;
}

// In another tab of this browser a question was asked, or an offer settled, in the thread that is shown here.
function onNews({ data }) {
  const turn = [...document.querySelectorAll(".gt-live.turn")].at(-1);
  if (turn && data && data === thread()) whenIdle(() => {
    elsewhere = true;
    states.get(turn.parentElement)?.trigger("news");
  });
}

function thread() {
  return new URLSearchParams(location.search).get("thread");
}

function mount(parent) {
  for (const turn of document.querySelectorAll(".gt-live.turn")) turn.style.minHeight = "";
  const root = document.createElement("div");
  root.dataset.folded = String(isNarrow());
  parent.append(root);
  const state = { root, parts: new Map(), stream: null, fresh: true, trigger: () => {} };
  root.addEventListener("click", (event) => onClick(state, event));
  root.addEventListener("change", (event) => onChange(state, event));
  root.addEventListener("keydown", (event) => onFieldKey(state, event));
  root.addEventListener("keydown", openList);
  root.addEventListener("pointerover", (event) => event.pointerType === "mouse" && peekSoon(state, event.target, PEEK_AFTER));
  root.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && peekSoon(state, event.target, 0));
  root.addEventListener("focusout", (event) => awayFrom(state, event.target, 0));
  root.addEventListener("pointerleave", (event) => awayFrom(state, event.target, PEEK_AFTER));
  root.addEventListener("keydown", (event) => event.key === "Escape" && peekSoon(state, null, 0));
  states.set(parent, state);
  return state;
}

// What was just sent stands below the last turn at once; the turn itself, drawn by Python, takes its place, or goes with
// the sentence that says why it is not asked. Until then
// the next question stays in the field: of two that are sent together, Streamlit hands on only the later one.
function onSending(event) {
  const field = document.querySelector('[data-testid="stChatInputTextArea"]');
  const byKey = event.type === "keydown" && event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target === field;
  const byButton = event.type === "click" && event.target.closest?.('[data-testid="stChatInputSubmitButton"]');
  if (!field?.value.trim() || field.disabled || !(byKey || byButton)) return;
  if (sent.element) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (field.closest('[data-testid="stChatInput"]')?.querySelector('[data-testid="stFileChip"]')) return;
  const text = field.value.trim();
  if (hasKeyboardOnScreen()) setTimeout(() => field.blur());
  const mine = (sent = { element: echo(text), text });
  const untilTaken = () => {
    if (sent !== mine) return;
    if (isDrawing()) setTimeout(untilTaken, 500);
    else giveBack(text);
  };
  setTimeout(untilTaken, PATIENCE);
}

function onActing(event) {
  if (event.isTrusted) acted = performance.now();
}

function echo(text) {
  const element = Object.assign(document.createElement("div"), { className: "gt-sent" });
  element.append(Object.assign(document.createElement("h2"), { className: "gt-question", textContent: text }));
  [...document.querySelectorAll(".gt-live.turn")].at(-1)?.append(element);
  element.scrollIntoView({ block: "nearest" });
  return element;
}

function taken() {
  sent.element?.remove();
  sent = {};
  elsewhere = false;
}

// It could not be asked, and the page says why, or a click that followed at once took its place on the way. What was
// typed meanwhile stays behind it.
function giveBack(text) {
  taken();
  const field = document.querySelector('[data-testid="stChatInputTextArea"]');
  if (!field || !text || field.value === text) return;
  const whole = field.value ? `${text}\n${field.value}` : text;
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, whole); // as React would see it typed
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function unmount(parent, state) {
  leave(state);
  clearTimeout(state.peeking);
  state.root.remove();
  states.delete(parent);
}

// -- parts

function patch(state, parts) {
  let changed = false;
  for (const [id, html] of parts) {
    const part = state.parts.get(id) ?? add(state, id);
    if (part.html === html) continue;
    const unfolded = [...part.element.querySelectorAll("details[open][data-key]")].map((d) => d.dataset.key);
    const panel = part.element.querySelector("dialog[open]");
    const cite = [...part.element.querySelectorAll(CITES)].indexOf(document.activeElement);
    const waiting = part.html === null ? "[data-arrives]" : "[data-arrives], [data-appears]";
    part.html = html;
    part.element.innerHTML = html;
    for (const key of unfolded) part.element.querySelector(`details[data-key="${CSS.escape(key)}"]`)?.setAttribute("open", "");
    const same = panel && part.element.querySelector(`dialog[data-panel="${CSS.escape(panel.dataset.panel)}"]`);
    if (same && same.textContent === panel.textContent) open(state, panel.dataset.panel);
    focusCite(state, part.element.querySelectorAll(CITES)[cite]);
    // What waits for the reader, wherever they have scrolled, or opens below what they clicked.
    const arrived = part.element.querySelector(waiting);
    if (arrived) requestAnimationFrame(() => arrived.scrollIntoView({ block: "nearest" }));
    if (part.element.querySelector("[data-numbers]")) showNumbers(state);
    if (part.element.querySelector("[data-focuses]")) requestAnimationFrame(focusQuestion);
    changed = true;
  }
  return changed;
}

function focusCite(state, chip) {
  if (chip && !state.peeked) state.quiet = chip; // its card was put away
  chip?.focus({ preventScroll: true });
}

function focusQuestion() {
  document.querySelector('[data-testid="stChatInputTextArea"]')?.focus({ preventScroll: true });
}

function add(state, id) {
  const element = document.createElement("div");
  element.dataset.part = id;
  state.root.append(element);
  const part = { element, html: null };
  state.parts.set(id, part);
  return part;
}

function drop(state, id, part) {
  part.element.remove();
  state.parts.delete(id);
}

// -- clicks

function onClick(state, event) {
  if (event.target.closest(".gt-menu button")) closeMenus(null);
  const opened = event.target.closest('details[data-key="edit"] > summary');
  if (opened) return requestAnimationFrame(() => writeAtTheEnd(opened.parentElement.querySelector("textarea")));
  const target = event.target.closest("[data-opens],[data-closes],[data-turns],[data-event],[data-copies],[data-links],[data-saves],[data-folds],[data-numbers],[data-shuts],.gt-peek,dialog");
  if (!target) return;
  if (target.classList.contains("gt-peek")) return openCited(state, state.peeked);
  if (target.dataset.opens) return openCited(state, target);
  if ("folds" in target.dataset) return fold(state, target);
  if ("numbers" in target.dataset) return toggleNumbers(state);
  if ("shuts" in target.dataset) return shut(target);
  if ("closes" in target.dataset) return target.closest("dialog").close();
  if (target.dataset.turns) return turn(state, target);
  if (target.dataset.copies) return copy(target, textOf(state, target.dataset.copies));
  if (target.dataset.links) return copy(target, location.origin + location.pathname + target.dataset.links);
  if (target.dataset.saves) return save(state, target);
  if (target.tagName === "DIALOG" && outside(target, event)) return target.close();
  if (target.dataset.event && target.tagName !== "SELECT") {
    if (target.href && (event.ctrlKey || event.metaKey || event.shiftKey)) return; // in a tab or window of its own
    if (target.href) event.preventDefault();
    target.closest("dialog")?.close();
    if (target.closest("[data-once]")) state.settles = true;
    state.trigger(target.dataset.event, "takes" in target.dataset ? fieldsOf(target) : target.dataset.value);
  }
}

// What was filled in around a button or a field, as JSON by name; the form closes, and is filled in anew by Python.
function fieldsOf(element) {
  const form = element.closest("[data-form]");
  const fields = {};
  for (const field of form.querySelectorAll("[name]")) {
    if (field.type === "checkbox") (fields[field.name] ??= []).push(...(field.checked ? [field.value] : []));
    else fields[field.name] = field.value;
  }
  shut(form);
  return JSON.stringify(fields);
}

function closeMenus(besides) {
  for (const menu of document.querySelectorAll(".gt-overflow[open]")) if (!menu.contains(besides)) menu.removeAttribute("open");
}

function shut(element) {
  const details = element.closest("details");
  details?.removeAttribute("open");
  details?.querySelector("summary")?.focus();
}

// Enter sends, as in the field for the next question; while a word is being composed it only ends the word.
function onFieldKey(state, event) {
  const field = event.target.closest("textarea[data-sends]");
  if (!field) return;
  if (event.key === "Escape") return shut(field);
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !field.value.trim()) return;
  event.preventDefault();
  state.trigger(field.dataset.sends, fieldsOf(field));
}

// Alt+C, by the key's place as some keyboards type another sign with Alt: to the first citation of the newest answer
// that has one.
function onKey(event) {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyC") return;
  const turns = [...document.querySelectorAll(".gt-live.turn")].filter((turn) => turn.querySelector(".gt-cite[data-opens]"));
  const citation = turns.at(-1)?.querySelector(".gt-cite[data-opens]");
  if (!citation || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  citation.focus();
}

function onChange(state, event) {
  const select = event.target.closest("select[data-event]");
  if (!select?.value) return;
  state.trigger(select.dataset.event, select.value);
  select.value = "";
}

// A closed list takes each choice that an arrow key passes over for chosen; an open one waits for Enter.
function openList(event) {
  const list = event.target.closest("select[data-event]");
  if (!list || !event.key.startsWith("Arrow") || list.matches(":open")) return;
  event.preventDefault();
  list.showPicker();
}

function fold(state, button) {
  const folded = state.root.classList.toggle("is-folded");
  state.root.dataset.folded = String(folded);
  button.setAttribute("aria-expanded", String(!folded));
}

// Whether steps show their numbers is kept by this browser.

function toggleNumbers(state) {
  const shown = state.root.classList.contains("has-numbers") ? "" : "shown";
  state.root.dataset.numbers = shown;
  try {
    localStorage.setItem(NUMBERS, shown);
  } catch {} // storage is closed to the page: until the next reload, then
  showNumbers(state);
}

function showNumbers(state) {
  let shown = state.root.dataset.numbers;
  try {
    shown ??= localStorage.getItem(NUMBERS);
  } catch {}
  state.root.classList.toggle("has-numbers", shown === "shown");
  for (const button of state.root.querySelectorAll("[data-numbers]")) button.setAttribute("aria-pressed", String(shown === "shown"));
}

function writeAtTheEnd(field) {
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function openCited(state, chip) {
  state.quiet = chip;
  peek(state, null);
  open(state, chip.dataset.opens);
}

function open(state, name) {
  const panel = state.root.querySelector(`dialog[data-panel="${CSS.escape(name)}"]`);
  if (!panel) return;
  for (const image of panel.querySelectorAll("img[data-src]")) {
    image.addEventListener("error", () => image.parentElement.classList.add("is-missing"));
    image.addEventListener("load", () => uncover(panel, image.parentElement));
    image.addEventListener("load", () => markQuote(image.parentElement));
    image.src = image.dataset.src;
    image.removeAttribute("data-src");
  }
  if (Number(name)) standBeside(state.root, panel);
  panel.showModal();
}

// A source covers the run, not the conversation, where both have room: answer and source are read together.
function standBeside(turn, panel) {
  const room = innerWidth - turn.getBoundingClientRect().right - GAP;
  if (room >= BESIDE) panel.style.setProperty("--gt-beside", `${room}px`);
  else panel.removeAttribute("style");
}

// What a citation rests on, beside it while the pointer or the focus is on it: the quoted words, and the place on the
// page. The pointer may go into the card, a click there opens the panel, Escape closes it. When the panel is closed
// again, its citation keeps quiet until the pointer or the focus has been elsewhere.
function peekSoon(state, target, wait) {
  if (target?.closest("dialog")) return;
  clearTimeout(state.peeking);
  const chip = target?.closest(CITES);
  if (chip && (chip === state.quiet || chip === state.peeked)) return;
  if (target?.closest(".gt-peek")) return;
  if (target) state.quiet = null;
  if (chip || state.peeked) state.peeking = setTimeout(() => peek(state, chip), wait);
}

function awayFrom(state, element, wait) {
  if (element.closest("dialog") || state.root.querySelector("dialog[open]")) return;
  state.quiet = null;
  peekSoon(state, null, wait);
}

function peek(state, chip) {
  state.root.querySelector(".gt-peek")?.remove();
  state.peeked?.removeAttribute("aria-describedby");
  state.peeked = null;
  const panel = chip?.isConnected && state.root.querySelector(`dialog[data-panel="${CSS.escape(chip.dataset.opens)}"]`);
  const quote = panel && panel.querySelector("blockquote");
  if (!quote || panel.open || chip.dataset.opens === "beside") return;
  const card = Object.assign(document.createElement("div"), { className: "gt-peek", id: "gt-peek", role: "tooltip", popover: "manual" });
  card.append(panel.querySelector("header h3").cloneNode(true), panel.querySelector("header p").cloneNode(true), quote.cloneNode(true));
  for (const link of card.querySelectorAll("a")) link.replaceWith(...link.childNodes); // Tab does not come here
  const page = panel.querySelector(".gt-page");
  if (page) card.append(cropped(page));
  state.root.append(card);
  card.showPopover();
  place(card, chip.getBoundingClientRect());
  chip.setAttribute("aria-describedby", card.id);
  state.peeked = chip;
}

function place(card, chip) {
  const below = chip.bottom + PEEK_ROOM < innerHeight || chip.top < PEEK_ROOM;
  card.style.left = `${Math.max(8, Math.min(chip.left - 24, innerWidth - card.offsetWidth - 8))}px`;
  card.style[below ? "top" : "bottom"] = `${below ? chip.bottom + 4 : innerHeight - chip.top + 4}px`;
}

// The page with the outlined block, of which the card shows a strip.
function cropped(page) {
  const strip = Object.assign(document.createElement("div"), { className: "gt-crop" });
  const figure = page.cloneNode(true);
  const image = figure.querySelector("img");
  for (const mark of figure.querySelectorAll(".gt-quoted")) mark.remove();
  figure.classList.remove("is-loaded", "has-quote");
  image.alt = "";
  image.addEventListener("error", () => strip.remove());
  image.addEventListener("load", async () => {
    figure.classList.add("is-loaded");
    center(strip, figure);
    await markQuote(figure);
    center(strip, figure);
  });
  image.src = image.dataset.src ?? image.src;
  strip.append(figure);
  return strip;
}

function center(strip, figure) {
  const block = figure.querySelector(".gt-box");
  const words = figure.querySelector(".gt-quoted") ?? block;
  if (!block) return;
  strip.scrollTop = words.offsetTop + words.offsetHeight / 2 - strip.clientHeight / 2;
  strip.scrollLeft = block.offsetLeft - 12;
}

// Boxes are in per cent of the image: they have a place only once it is there.
function uncover(panel, page) {
  page.classList.add("is-loaded");
  if (page === panel.querySelector(".gt-page")) (page.querySelector(".gt-quoted") ?? page.querySelector(".gt-box"))?.scrollIntoView({ block: "center" });
}

// The quoted words inside of the outlined block, where the page has them as text.
async function markQuote(figure) {
  if (!figure.dataset.marks) return;
  const answer = await fetch(figure.dataset.marks).catch(() => null);
  const boxes = answer?.ok ? await answer.json() : [];
  for (const [left, top, right, bottom] of boxes) {
    const mark = Object.assign(document.createElement("div"), { className: "gt-quoted" });
    const place = { left, top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(place)) mark.style[name] = `${value / 10}%`;
    figure.append(mark);
  }
  figure.classList.toggle("has-quote", boxes.length > 0);
  if (figure.classList.contains("is-loaded")) figure.querySelector(".gt-quoted")?.scrollIntoView({ block: "center" });
}

function turn(state, button) {
  const panels = [...state.root.querySelectorAll("dialog[data-panel]:has([data-turns])")];
  const here = button.closest("dialog");
  const next = panels[(panels.indexOf(here) + Number(button.dataset.turns) + panels.length) % panels.length];
  here.close();
  open(state, next.dataset.panel);
}

function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

function textOf(state, name) {
  return state.root.querySelector(`[data-text="${CSS.escape(name)}"]`)?.textContent ?? "";
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // without https the clipboard is closed to pages
  }
  tellDone(button);
}

// A tick in place of the icon for a moment, and the word; on the menu's own button for one of a menu, which is closed.
function tellDone(chosen) {
  const button = chosen.closest(".gt-overflow")?.querySelector("summary") ?? chosen;
  if (button.classList.contains("is-done")) return;
  const symbol = button.querySelector(".gt-symbol");
  const icon = symbol.textContent;
  const said = Object.assign(document.createElement("span"), { className: "gt-said", role: "status", textContent: chosen.dataset.done ?? "" });
  button.classList.add("is-done");
  button.append(said);
  symbol.textContent = "check";
  setTimeout(() => {
    button.classList.remove("is-done");
    symbol.textContent = icon;
    said.remove();
  }, 1600);
}

function copyBySelection(text) {
  const area = Object.assign(document.createElement("textarea"), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function save(state, button) {
  const url = URL.createObjectURL(new Blob([textOf(state, button.dataset.copiesFrom)], { type: "text/markdown" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: button.dataset.saves });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// -- the stream: one connection an address, shared by the components of the page

function listen(state, kind, url) {
  if (state.followed && !url) state.root.closest(".st-key-run-panel")?.scrollTo(0, 0); // it is over: to its result
  state.followed = false;
  leave(state);
  if (!url) return;
  let shared = streams.get(url);
  if (!shared) {
    shared = { url, source: new EventSource(url), members: new Map(), seen: new Map() };
    shared.source.onmessage = (message) => receive(shared, JSON.parse(message.data));
    shared.source.addEventListener("end", () => finish(shared));
    shared.source.onerror = () => refused(shared);
    streams.set(url, shared);
  }
  shared.members.set(kind, state);
  state.stream = shared;
  const missed = shared.seen.get(kind);
  if (missed) patch(state, [...missed]);
}

function leave(state) {
  const shared = state.stream;
  state.stream = null;
  if (!shared) return;
  for (const [kind, member] of shared.members) if (member === state) shared.members.delete(kind);
  if (!shared.members.size) close(shared);
}

function receive(shared, changes) {
  for (const [kind, parts] of Object.entries(changes)) {
    const seen = shared.seen.get(kind) ?? new Map();
    for (const [id, html] of parts) seen.set(id, html);
    shared.seen.set(kind, seen);
    const state = shared.members.get(kind);
    if (state) keepInView(state, () => patch(state, parts));
    if (state && kind === "turn") keepHeight(state.root);
  }
}

function finish(shared) {
  close(shared);
  const member = shared.members.get("turn") ?? shared.members.values().next().value;
  whenIdle(() => member?.stream === shared && member.trigger("finished"));
}

// A request of ours would end the drawing of the page, and with it what the reader sent or clicked; a dialog would close.
function whenIdle(act) {
  const onTheWay = sent.element || performance.now() - acted < ON_THE_WAY;
  if (onTheWay || isDrawing() || document.querySelector('[data-testid="stDialog"]')) setTimeout(() => whenIdle(act), 100);
  else act();
}

function isDrawing() {
  const state = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState;
  return state === "running" || state === "rerunRequested";
}

// The address is of a server that is gone: the one in its place draws the page anew, once the page can reach it.
function refused(shared) {
  const member = shared.members.get("turn") ?? shared.members.values().next().value;
  if (shared.source.readyState !== EventSource.CLOSED || member?.stream !== shared) return;
  member.trigger("finished");
  setTimeout(() => refused(shared), 2000);
}

function close(shared) {
  shared.source.close();
  streams.delete(shared.url);
}

// A reader who has gone to the end of a long answer goes on seeing it; everyone else stays where they are.
function keepInView(state, change) {
  if (state.root.classList.contains("run")) return followRun(state, change);
  const page = scroller(state.root);
  const limit = document.querySelector('[data-testid="stBottom"]')?.getBoundingClientRect().top ?? innerHeight;
  const { top, bottom } = state.root.getBoundingClientRect();
  const followed = state.root.classList.contains("turn") && top < 0 && bottom <= limit + 40;
  if (!change() || !followed) return;
  const hidden = state.root.getBoundingClientRect().bottom - limit;
  if (hidden > 0) page?.scrollBy({ top: hidden });
}

// What runs now and the drawing, at the end of the pane, stay in view; a reader who scrolled back stays where they are.
function followRun(state, change) {
  const pane = state.root.closest(".st-key-run-panel");
  const followed = pane && (!state.followed || pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 40);
  if (!change() || !followed) return;
  state.followed = true;
  pane.scrollTop = pane.scrollHeight;
}

// An answer is read from its question on: room is left below the turn until the next one begins, and the answer grows
// into it. There is a little more room than that takes: at its end, the page would be scrolled along by Streamlit.
function readFromTop(turn) {
  const page = document.querySelector('[data-testid="stAppScrollToBottomContainer"]');
  if (!page || !turn.isConnected) return;
  turn.style.minHeight = `${page.clientHeight}px`;
  const end = turn.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop + page.clientHeight;
  const room = page.clientHeight - (page.scrollHeight - end);
  turn.style.minHeight = `${Math.max(0, room, isNarrow() ? page.clientHeight - TURN_TOP : 0)}px`; // a run below it is out of sight
  hold(turn, topOf(turn));
}

function isNarrow() {
  return matchMedia("(max-width: 1100px)").matches;
}

function topOf(turn) {
  return (page) => page.scrollTop + turn.getBoundingClientRect().top - page.getBoundingClientRect().top - TURN_TOP;
}

// Whether a link led to this turn.
function isInAddress(parent) {
  const run = new URLSearchParams(location.search).get("run");
  return Boolean(run && parent.closest(`.st-key-turn-${CSS.escape(run)}`));
}

// What is drawn below an answer at its end does not move it.
function stay(turn) {
  const at = scroller(turn)?.scrollTop ?? 0;
  if (turn.querySelector(".gt-found")) hold(turn, () => at);
}

// Streamlit scrolls to the end of what grows there. It gives up, as for a reader's wheel, once a scroll elsewhere has been
// seen while it does not move the page itself and the page does not grow.
function hold(turn, place, isNewest = true) {
  let ends = 0;
  let height = 0;
  const reader = new AbortController();
  const given = (event) => event.isTrusted && reader.abort();
  for (const kind of ["wheel", "pointerdown", "keydown"]) addEventListener(kind, given, { signal: reader.signal, capture: true });
  const step = () => {
    const newest = [...document.querySelectorAll(".gt-live.turn")].at(-1);
    if (isNewest && turn.classList.contains("turn") && turn !== newest) return reader.abort();
    const page = scroller(turn);
    if (!ends || page?.scrollHeight !== height) ends = performance.now() + HOLD;
    height = page?.scrollHeight;
    if (reader.signal.aborted || !turn.isConnected || performance.now() > ends) return reader.abort();
    page?.dispatchEvent(new WheelEvent("wheel"));
    if (page) page.scrollTop = Math.max(0, place(page)) + (Math.floor(performance.now() / 150) % 2); // px: without a move no scroll is seen
    requestAnimationFrame(step);
  };
  step();
}

// What takes the place of more must not let the page become shorter under the reader's eyes: room is left below the
// turn until the next one begins.
function keepHeight(turn) {
  turn.style.minHeight = `${Math.max(parseFloat(turn.style.minHeight) || 0, turn.offsetHeight)}px`;
}

function scroller(element) {
  let at = element.parentElement;
  while (at && !(at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY))) at = at.parentElement;
  return at;
}
