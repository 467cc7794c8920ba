// Holds the drawing's sandboxed frame in the page: hands it theme and selection, hands choices to Python.
const held = new WeakMap();
const PALETTE = { TECHNOLOGY: "blue", CONCEPT: "violet", PERSON: "red", ORGANIZATION: "yellow", LOCATION: "green", EVENT: "orange", CREATIVE_WORK: "gray", OTHER: "gray" };
const MARGIN = 20; // pixels between the frame and the end of the window
const PAGE_TIME = 700; // milliseconds that the page takes to fill the panel
const MOST_PICTURE = 40e6; // characters of its address
const CHOICES = new Set(["select", "focus", "edge", "clear"]);

const isId = (value) => typeof value === "string" && value.length <= 200;

function styleOf(host, labels) {
  const css = getComputedStyle(host);
  const value = (name) => css.getPropertyValue(`--st-${name}`).trim();
  const types = Object.fromEntries(Object.entries(PALETTE).map(([type, color]) => [type, value(`${color}-color`)]));
  return {
    types, labels,
    text: value("text-color"), background: value("background-color"), accent: value("primary-color"),
    border: value("border-color"), edge: value("gray-color"),
  };
}

function send(state) {
  const message = { target: "graph-view", style: { ...styleOf(state.host, state.data.labels), communities: state.data.communities }, selected: state.data.selected, edge: state.data.edge, way: state.data.way };
  // The frame has no origin of its own, so no target origin can be named; nothing secret is sent.
  for (const frame of state.frames) if (frame.ready) frame.element.contentWindow.postMessage(message, "*");
}

// The frame ends where the window does, whatever stands above it.
function setHeight(state) {
  const scrolled = state.host.closest('[data-testid="stMain"]')?.scrollTop ?? 0;
  const above = state.box.getBoundingClientRect().top + scrolled;
  if (above > 0) state.box.style.setProperty("--gt-above-graph", `${Math.ceil(above) + MARGIN}px`);
}

function show(state, source) {
  if (state.source === source) return;
  state.source = source;
  const element = document.createElement("iframe");
  element.setAttribute("sandbox", "allow-scripts");
  element.setAttribute("referrerpolicy", "no-referrer");
  element.title = state.data.labels.graph;
  element.src = source;
  state.frames.push({ element, ready: false });
  state.box.append(element);
}

// Only a picture, so that the frame, which shows untrusted names, can have nothing else saved.
function savePicture(data) {
  if (typeof data !== "string" || data.length > MOST_PICTURE || !data.startsWith("data:image/png;base64,")) return;
  const link = document.createElement("a");
  link.href = data;
  link.download = "kg_view.png";
  link.click();
}

function hear(state, event) {
  const frame = state.frames.find((each) => each.element.contentWindow === event.source);
  const message = event.data;
  if (!frame || !message || message.source !== "graph-view") return;
  if (message.type === "ready") { frame.ready = true; send(state); }
  if (message.type === "drawn") {
    const older = state.frames.slice(0, state.frames.indexOf(frame));
    older.forEach((each) => each.element.remove());
    state.frames = state.frames.filter((each) => !older.includes(each));
    frame.element.classList.add("drawn");
    setHeight(state);
  }
  if (message.type === "picture") savePicture(message.data);
  if (message.type === "full") document.fullscreenElement ? document.exitFullscreen() : state.box.requestFullscreen();
  const { type, id = "", from = "", to = "" } = message;
  if (!CHOICES.has(type) || ![id, from, to].every(isId)) return;
  state.choose("choice", { type, id, from, to });
  if (type !== "clear") setTimeout(() => revealPanel(state), PAGE_TIME);
}

// Where the panel stands below the drawing, bring its beginning up to the middle of the screen.
function revealPanel(state) {
  const top = document.querySelector(".st-key-graph-panel")?.getBoundingClientRect().top ?? 0;
  const hidden = top - innerHeight * 0.6;
  if (hidden > 0 && top >= state.box.getBoundingClientRect().bottom) state.host.closest('[data-testid="stMain"]')?.scrollBy({ top: hidden, behavior: "smooth" });
}

export default function ({ parentElement, data, setTriggerValue }) {
  let state = held.get(parentElement);
  if (!state) {
    const box = parentElement.querySelector(".graph-box");
    state = { box, host: parentElement.host || parentElement, frames: [], source: null };
    state.listener = (event) => hear(state, event);
    state.resized = () => setHeight(state);
    window.addEventListener("message", state.listener);
    window.addEventListener("resize", state.resized);
    held.set(parentElement, state);
  }
  state.data = data;
  state.choose = setTriggerValue;
  setHeight(state);
  show(state, data.source);
  send(state);
  return () => {
    window.removeEventListener("message", state.listener);
    window.removeEventListener("resize", state.resized);
    held.delete(parentElement);
  };
}
