// Draws the whole graph on a canvas: dots and lines from arrays, names where there is room, choices back to Python.
const held = new WeakMap();
const PALETTE = { TECHNOLOGY: "blue", CONCEPT: "violet", PERSON: "red", ORGANIZATION: "yellow", LOCATION: "green", EVENT: "orange", CREATIVE_WORK: "gray" };
const SHAPES = { CONCEPT: "diamond", PERSON: "up", ORGANIZATION: "square", LOCATION: "down", EVENT: "diamond", CREATIVE_WORK: "square" };
const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif';
const NAME_SIZE = 12.5;
const MOST_NAMES = 140;
const VERB_FONT = `italic 11px ${FONT}`;
const VERB_HIGH = 13;
const MOST_VERBS = 60;
const MOST_SAID = 40; // characters of a relation's words
const ARROW = 8; // pixels
const NAMES_AT_ONCE = 20; // looked at between two looks at the clock
const MOST_PICTURES = 500; // of words, kept
const HALO = 3;
const LOOKED_AT = 1500; // nodes in view that may get a name
const MOST_LINES = 9000; // lines drawn at once; the most telling first
const MOST_INK = 1200000; // pixels of lines drawn at once
const AT_ONCE = 200; // shapes drawn between two looks at the clock
const BUDGET = 9; // milliseconds of drawing in one frame
const REST = 110; // milliseconds without movement after which the drawing is made anew
const MARGIN = 46;
const MOST_STRETCHED = 1.7;
const PAGE_TIME = 700; // milliseconds that the page takes to fill the panel
const MOTION = 900; // milliseconds in which entities move to other places
const FADED = 0.16;
const CELL = 24; // of the grid in which a pointer finds its node, in pixels of the fitted drawing

const between = (value, low, high) => Math.max(low, Math.min(high, value));
const pause = () => new Promise((done) => setTimeout(done));
const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));

// In pieces, so that the page answers meanwhile.
async function read(buffer) {
  const long = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, long)));
  await pause();
  const count = head.names.length;
  let at = 4 + long;
  const take = (Kind, length) => { const part = new Kind(buffer, at, length); at += 4 * length; return part; };
  const [index, type, group] = [1, 2, 3].map(() => take(Int32Array, count));
  const [from, to] = [1, 2].map(() => take(Int32Array, head.lines));
  const [rawX, rawY, size] = [1, 2, 3].map(() => take(Float32Array, count));
  const weight = take(Float32Array, head.lines);
  const graph = { count, names: head.names, types: head.types, said: head.said, lines: head.lines, index, type, group, from, to, rawX, rawY, size, weight };
  graph.place = new Int32Array(index.reduce((most, value) => Math.max(most, value), -1) + 1).fill(-1);
  for (let node = 0; node < count; node += 1) graph.place[index[node]] = node;
  graph.order = bySize(size);
  graph.most = Math.max(1, count ? size[graph.order[0]] : 0);
  graph.x = new Float32Array(count);
  graph.y = new Float32Array(count);
  await pause();
  addNeighbours(graph);
  await pause();
  return graph;
}

// The largest first; most come so.
function bySize(size) {
  const order = new Uint32Array(size.length);
  let sorted = true;
  for (let node = 0; node < size.length; node += 1) {
    order[node] = node;
    sorted = sorted && (!node || size[node] <= size[node - 1]);
  }
  return sorted ? order : order.sort((a, b) => size[b] - size[a] || a - b);
}

const placeOf = (graph, index) => graph.place[index] ?? -1;

// For every node the other ends of its lines, the strongest first.
function addNeighbours(graph) {
  const starts = new Uint32Array(graph.count + 1);
  for (let line = 0; line < graph.lines; line += 1) { starts[graph.from[line] + 1] += 1; starts[graph.to[line] + 1] += 1; }
  for (let node = 0; node < graph.count; node += 1) starts[node + 1] += starts[node];
  const next = starts.slice();
  const others = new Uint32Array(2 * graph.lines);
  for (let line = 0; line < graph.lines; line += 1) {
    others[next[graph.from[line]]++] = graph.to[line];
    others[next[graph.to[line]]++] = graph.from[line];
  }
  Object.assign(graph, { starts, others });
}

function bounds(axis) {
  let [low, high] = axis.length ? [axis[0], axis[0]] : [0, 1];
  for (const value of axis) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// The drawing turned and stretched so that it fills the room it has.
function fit(state) {
  const { graph, width, height } = state;
  let [[x0, x1], [y0, y1]] = [bounds(graph.rawX), bounds(graph.rawY)];
  const turned = (x1 - x0 > y1 - y0) !== (width > height) && Math.max(width / height, height / width) > 1.25;
  const [rawX, rawY] = turned ? [graph.rawY, graph.rawX] : [graph.rawX, graph.rawY];
  if (turned) [x0, x1, y0, y1] = [y0, y1, x0, x1];
  const margin = Math.min(MARGIN, width / 9);
  const scales = [(width - 2 * margin) / (x1 - x0 || 1), (height - 2 * margin) / (y1 - y0 || 1)];
  const least = Math.min(...scales);
  const [sx, sy] = scales.map((scale) => Math.min(scale, least * MOST_STRETCHED));
  for (let node = 0; node < graph.count; node += 1) {
    graph.x[node] = width / 2 + (rawX[node] - (x0 + x1) / 2) * sx;
    graph.y[node] = height / 2 + (rawY[node] - (y0 + y1) / 2) * sy;
  }
  state.motion = null;
  state.cells = new Map();
  for (let node = 0; node < graph.count; node += 1) {
    const key = cellOf(graph.x[node], graph.y[node]);
    if (!state.cells.has(key)) state.cells.set(key, []);
    state.cells.get(key).push(node);
  }
}

// From the places in the drawing before of the same graph, so that a reader does not lose sight of them.
function moveFrom(state, before) {
  const { graph } = state;
  if (!before || before.version !== graph.version || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [toX, toY, fromX, fromY] = [graph.x, graph.y, graph.x, graph.y].map((axis) => axis.slice());
  for (let node = 0; node < graph.count; node += 1) {
    const was = placeOf(before, graph.index[node]);
    if (was >= 0) [fromX[node], fromY[node]] = [before.x[was], before.y[was]];
  }
  state.motion = { began: performance.now(), fromX, fromY, toX, toY };
}

function advance(state) {
  const { graph, motion: { began, fromX, fromY, toX, toY } } = state;
  const part = between((performance.now() - began) / MOTION, 0, 1);
  const eased = part * part * (3 - 2 * part);
  for (let node = 0; node < graph.count; node += 1) {
    graph.x[node] = fromX[node] + (toX[node] - fromX[node]) * eased;
    graph.y[node] = fromY[node] + (toY[node] - fromY[node]) * eased;
  }
  if (part === 1) state.motion = null;
}

const cellOf = (x, y) => Math.floor(x / CELL) * 65536 + Math.floor(y / CELL);
const screenX = (state, node) => state.graph.x[node] * state.scale + state.dx;
const screenY = (state, node) => state.graph.y[node] * state.scale + state.dy;

function radius(state, node) {
  const { graph, scale } = state;
  const dense = between(Math.sqrt(500 / Math.max(1, graph.count)), 0.22, 1);
  const grown = Math.min(scale, 14) ** 0.45;
  const folded = graph.type[node] < 0 ? 1.6 : 1;
  return (1.6 + 13 * Math.sqrt(graph.size[node] / graph.most)) * between(dense * grown, 0.2, 1.5) * folded;
}

function colourOf(state, node) {
  const { graph, look } = state;
  if (state.data.coloured || graph.type[node] < 0) return state.data.communities[graph.group[node]] || look.other;
  return look.types[graph.types[graph.type[node]]] || look.other;
}

function readLook(host) {
  const css = getComputedStyle(host);
  const value = (name) => css.getPropertyValue(`--st-${name}`).trim();
  return {
    types: Object.fromEntries(Object.entries(PALETTE).map(([type, color]) => [type, value(`${color}-color`)])),
    other: value("gray-color"), text: value("text-color"), ground: value("background-color"), accent: value("primary-color"),
  };
}

// ---- what is chosen -------------------------------------------------------------------------------------------------

function nearOf(state, node) {
  const { graph } = state;
  if (node < 0) return [];
  const listed = state.data.near && node === state.selected ? state.data.near.map((index) => placeOf(graph, index)).filter((place) => place >= 0) : [];
  return [...new Set([...listed, ...graph.others.subarray(graph.starts[node], graph.starts[node + 1])])];
}

function takeSelection(state) {
  const place = (index) => placeOf(state.graph, index);
  state.selected = place(state.data.selected);
  state.edge = (state.data.edge || []).map(place);
  state.marked = new Set((state.data.marked || []).map(place).filter((node) => node >= 0));
  state.way = (state.data.way || []).map((leg) => leg.map(place));
  state.near = new Set(nearOf(state, state.selected));
}

const lit = (state, node) => node === state.selected || state.near.has(node) || state.marked.has(node);
const dims = (state) => state.selected >= 0 || state.marked.size > 0;

// ---- drawing --------------------------------------------------------------------------------------------------------

function size(state) {
  const box = state.canvas.getBoundingClientRect();
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  if (!box.width || (state.width === box.width && state.height === box.height && state.ratio === ratio)) return false;
  if (state.ratio !== ratio) state.pictures.clear();
  Object.assign(state, { width: box.width, height: box.height, ratio });
  for (const canvas of [state.canvas, state.made, state.making]) {
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
  }
  return true;
}

function inView(state, margin) {
  const { graph, width, height } = state;
  const found = [];
  for (const node of graph.order) {
    const x = screenX(state, node);
    const y = screenY(state, node);
    if (x > -margin && y > -margin && x < width + margin && y < height + margin) found.push(node);
  }
  return found;
}

function linesInView(state) {
  const { graph, width, height, scale } = state;
  const found = [];
  const most = Math.hypot(width, height);
  let ink = 0;
  for (let line = 0; line < graph.lines && found.length < MOST_LINES && ink < MOST_INK; line += 1) {
    const [one, other] = [graph.from[line], graph.to[line]];
    const [x1, x2, y1, y2] = [screenX(state, one), screenX(state, other), screenY(state, one), screenY(state, other)];
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > width || Math.max(y1, y2) < 0 || Math.min(y1, y2) > height) continue;
    ink += Math.min(most, Math.hypot(graph.x[one] - graph.x[other], graph.y[one] - graph.y[other]) * scale);
    found.push(line);
  }
  return found;
}

// What is stated of two entities that stand far enough apart on the screen; of a selection only what concerns it.
function saidInView(state, lines) {
  const { graph } = state;
  const drawn = new Set(lines);
  const concerns = (...ends) => !dims(state) || ends.includes(state.selected) || ends.every((node) => state.marked.has(node));
  return graph.said.filter(([line]) => drawn.has(line)).map(([line, forward, words]) => {
    const [from, to] = forward ? [graph.from[line], graph.to[line]] : [graph.to[line], graph.from[line]];
    const [wide, high] = [screenX(state, to) - screenX(state, from), screenY(state, to) - screenY(state, from)];
    const long = Math.hypot(wide, high);
    const room = long - radius(state, from) - radius(state, to);
    return { from, to, words: words.length > MOST_SAID ? `${words.slice(0, MOST_SAID - 1)}…` : words, room, along: [wide / long, high / long] };
  }).filter(({ from, to, room }) => room > 3 * ARROW && concerns(from, to));
}

// A browser paints what was drawn only when somebody looks at it: a look after each piece keeps the pieces short.
function paint(context) {
  createImageBitmap(context.canvas, 0, 0, 1, 1).then((picture) => picture.close());
}

function* strokes(state, context, lines) {
  const { graph, look } = state;
  context.strokeStyle = look.other;
  context.lineWidth = between(0.35 + state.scale * 0.12, 0.4, 1.1);
  context.globalAlpha = (lines.length > 3000 ? 0.2 : 0.34) * (dims(state) ? 0.45 : 1);
  for (let start = 0; start < lines.length; start += AT_ONCE) {
    context.beginPath();
    for (const line of lines.slice(start, start + AT_ONCE)) {
      context.moveTo(screenX(state, graph.from[line]), screenY(state, graph.from[line]));
      context.lineTo(screenX(state, graph.to[line]), screenY(state, graph.to[line]));
    }
    context.stroke();
    paint(context);
    yield;
  }
}

function* arrows(state, context, said) {
  context.fillStyle = state.look.other;
  context.globalAlpha = 0.8;
  for (let start = 0; start < said.length; start += AT_ONCE) {
    context.beginPath();
    for (const { to, along: [ax, ay] } of said.slice(start, start + AT_ONCE)) {
      const away = radius(state, to) + 1;
      const [x, y] = [screenX(state, to) - ax * away, screenY(state, to) - ay * away];
      context.moveTo(x, y);
      for (const side of [0.4, -0.4]) context.lineTo(x - ARROW * (ax + side * ay), y - ARROW * (ay - side * ax));
      context.closePath();
    }
    context.fill();
    paint(context);
    yield;
  }
}

function trace(context, shape, x, y, reach) {
  if (reach < 1.7) return context.rect(x - reach, y - reach, 2 * reach, 2 * reach);
  context.moveTo(x + reach, y);
  if (shape === undefined || reach < 3) return context.arc(x, y, reach, 0, 7);
  if (shape === "square") return context.rect(x - reach * 0.9, y - reach * 0.9, reach * 1.8, reach * 1.8);
  const corners = shape === "diamond" ? [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]] : [[-1.1, 0.85], [1.1, 0.85], [0, -1.15]];
  const turn = shape === "down" ? -1 : 1;
  corners.forEach(([cx, cy], number) => context[number ? "lineTo" : "moveTo"](x + cx * reach, y + cy * reach * turn));
  context.closePath();
}

function shapeOf(state, node) {
  return state.graph.type[node] < 0 ? undefined : SHAPES[state.graph.types[state.graph.type[node]]];
}

function* dots(state, context, nodes) {
  const dim = dims(state);
  const groups = new Map();
  for (const node of nodes) {
    const key = `${dim && !lit(state, node) ? FADED : 1} ${colourOf(state, node)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(node);
  }
  yield;
  for (const key of [...groups.keys()].sort()) {
    const members = groups.get(key);
    context.globalAlpha = Number(key.slice(0, key.indexOf(" ")));
    context.fillStyle = key.slice(key.indexOf(" ") + 1);
    for (let start = 0; start < members.length; start += AT_ONCE) {
      context.beginPath();
      for (const node of members.slice(start, start + AT_ONCE)) trace(context, shapeOf(state, node), screenX(state, node), screenY(state, node), radius(state, node));
      context.fill();
      paint(context);
      yield;
    }
  }
}

function outline(state, context, node, colour, wide) {
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = wide;
  context.beginPath();
  context.arc(screenX(state, node), screenY(state, node), radius(state, node) + 3, 0, 7);
  context.stroke();
}

function drawChosen(state, context) {
  const { graph, look } = state;
  const link = (pairs, alpha, wide) => {
    context.globalAlpha = alpha;
    context.strokeStyle = look.accent;
    context.lineWidth = wide;
    context.beginPath();
    for (const [one, other] of pairs) {
      context.moveTo(screenX(state, one), screenY(state, one));
      context.lineTo(screenX(state, other), screenY(state, other));
    }
    context.stroke();
  };
  if (state.selected >= 0) link([...state.near].map((other) => [state.selected, other]), 0.5, 1.3);
  if (state.edge.length === 2 && state.edge.every((node) => node >= 0)) link([state.edge], 0.95, 2.6);
  const isSaid = (pair) => graph.said.some(([line]) => pair.includes(graph.from[line]) && pair.includes(graph.to[line]));
  const pairs = state.way.flatMap((leg) => leg.slice(1).map((node, number) => [leg[number], node]));
  const way = pairs.filter((pair) => !pair.includes(-1));
  link(way.filter(isSaid), 0.95, 2.6);
  context.setLineDash([6, 4]);
  link(way.filter((pair) => !isSaid(pair)), 0.95, 2.6);
  context.setLineDash([]);
}

function* steps(state, context) {
  context.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
  context.clearRect(0, 0, state.width, state.height);
  const lines = linesInView(state);
  yield;
  const nodes = inView(state, 30);
  state.seen = { lines: lines.length, nodes, said: saidInView(state, lines) };
  yield;
  yield* strokes(state, context, lines);
  drawChosen(state, context);
  yield* arrows(state, context, state.seen.said);
  yield* dots(state, context, nodes);
  if (dims(state)) yield* dots(state, context, nodes.filter((node) => lit(state, node)));
  if (state.selected >= 0) outline(state, context, state.selected, state.look.text, 2);
  yield;
  state.placed = yield* placeNames(state);
}

// Made in a second canvas, a few milliseconds a frame; what is on the screen stays until it is whole.
function make(state) {
  if (state.motion) advance(state);
  state.job = steps(state, state.making.getContext("2d"));
  state.view = { scale: state.scale, dx: state.dx, dy: state.dy };
  frame(state);
}

function frame(state) {
  if (state.waiting) return;
  state.waiting = requestAnimationFrame(() => {
    state.waiting = 0;
    if (state.job && work(state)) {
      [state.made, state.making] = [state.making, state.made];
      state.madeView = state.view;
      state.job = null;
      report(state);
      if (state.motion) make(state);
    }
    show(state);
    if (state.job) frame(state);
  });
}

function work(state) {
  const until = performance.now() + BUDGET;
  while (performance.now() < until) if (state.job.next().done) return true;
  return false;
}

function show(state) {
  const context = state.canvas.getContext("2d");
  const { ratio, madeView } = state;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, state.canvas.width, state.canvas.height);
  if (!madeView) return;
  const grown = state.scale / madeView.scale;
  context.setTransform(grown, 0, 0, grown, (state.dx - madeView.dx * grown) * ratio, (state.dy - madeView.dy * grown) * ratio);
  context.drawImage(state.made, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  writeNames(state, context);
  for (const node of [state.focused, state.hovered]) if (node >= 0) outline(state, context, node, state.look.accent, 2.5);
}

// ---- names ----------------------------------------------------------------------------------------------------------

const strong = (state, node) => node === state.selected || node === state.focused || node === state.hovered;

function textOf(state, node) {
  const name = state.graph.names[node];
  const most = state.graph.type[node] < 0 ? 64 : 30;
  return name.length > most && !strong(state, node) ? `${name.slice(0, most - 1)}…` : name;
}

function fontOf(state, node) {
  return `${strong(state, node) || state.graph.type[node] < 0 ? 600 : 400} ${NAME_SIZE}px ${FONT}`;
}

function widthOf(state, words, font) {
  const key = `${font} ${words}`;
  if (!state.widths.has(key)) {
    const context = state.canvas.getContext("2d");
    context.font = font;
    state.widths.set(key, context.measureText(words).width);
  }
  return state.widths.get(key);
}

const covers = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

// Below its node where that is free, else beside or above it; as offsets from the node.
function placesOf(state, node) {
  const [wide, high, reach] = [widthOf(state, textOf(state, node), fontOf(state, node)) + 6, NAME_SIZE * 1.2, radius(state, node) + 3];
  return [[-wide / 2, reach], [reach, -high / 2], [-reach - wide, -high / 2], [-wide / 2, -reach - high]].map(([left, top]) => [left, top, left + wide, top + high]);
}

// The chosen ones first, then by importance; none over another name or over a larger node, none cut off at the side.
function* placeNames(state) {
  const { graph, width } = state;
  const dim = dims(state);
  const all = state.seen.nodes;
  const first = [state.selected, ...state.way.flat(), ...state.marked, ...state.near].filter((node) => node >= 0);
  const order = [...new Set([...first, ...(dim ? [] : all.slice(0, LOOKED_AT))])];
  const discs = all.slice(0, 300).map((node) => {
    const [x, y, reach] = [screenX(state, node), screenY(state, node), radius(state, node) * 0.8];
    return { node, box: [x - reach, y - reach, x + reach, y + reach] };
  }).filter(({ node }) => radius(state, node) > 4);
  const taken = [];
  const placed = [];
  let asked = 0;
  for (const node of order) {
    if (placed.length >= MOST_NAMES) break;
    asked += 1;
    if (asked % NAMES_AT_ONCE === 0) yield;
    const [x, y] = [screenX(state, node), screenY(state, node)];
    if (x < 0 || y < 0 || x > width || y > state.height) continue;
    const fits = placesOf(state, node).find((offset) => {
      const box = [offset[0] + x, offset[1] + y, offset[2] + x, offset[3] + y];
      if (box[0] < 2 || box[2] > width - 2 || taken.some((other) => covers(other, box))) return false;
      return !discs.some((disc) => disc.node !== node && graph.size[disc.node] >= graph.size[node] && covers(disc.box, box));
    });
    const offset = fits || (node === state.selected && placesOf(state, node)[0]);
    if (!offset) continue;
    taken.push([offset[0] + x, offset[1] + y, offset[2] + x, offset[3] + y]);
    placed.push({ node, offset, x: graph.x[node], y: graph.y[node], picture: nameOf(state, node) });
  }
  const verbs = yield* placeVerbs(state, [...taken, ...discs.map(({ box }) => box)]);
  return [...placed, ...verbs];
}

// On lines that are longer than the words, where these cover nothing.
function* placeVerbs(state, taken) {
  const { graph } = state;
  const placed = [];
  let asked = 0;
  for (const { from, to, words, room } of state.seen.said) {
    if (placed.length >= MOST_VERBS) break;
    asked += 1;
    if (asked % NAMES_AT_ONCE === 0) yield;
    const wide = widthOf(state, words, VERB_FONT) + 6;
    if (wide > room) continue;
    const offset = [-wide / 2, -VERB_HIGH / 2];
    for (const share of [0.5, 0.4, 0.6]) {
      const [x, y] = [graph.x, graph.y].map((axis) => axis[from] + (axis[to] - axis[from]) * share);
      const [left, top] = [x * state.scale + state.dx + offset[0], y * state.scale + state.dy + offset[1]];
      const box = [left, top, left + wide, top + VERB_HIGH];
      const outside = box[0] < 2 || box[2] > state.width - 2 || box[1] < 0 || box[3] > state.height;
      if (outside || taken.some((other) => covers(other, box))) continue;
      taken.push(box);
      placed.push({ node: -1, offset, x, y, picture: pictureOf(state, words, VERB_FONT) });
      break;
    }
  }
  return placed;
}

const nameOf = (state, node) => pictureOf(state, textOf(state, node), fontOf(state, node));

// Words with their halo: copying a picture is many times as fast as writing them again in every frame.
function pictureOf(state, words, font) {
  const key = `${font} ${words}`;
  const known = state.pictures.get(key);
  if (known) return known;
  if (state.pictures.size >= MOST_PICTURES) state.pictures.clear();
  const { ratio, look } = state;
  const picture = document.createElement("canvas");
  picture.width = Math.ceil((widthOf(state, words, font) + 2 * HALO) * ratio);
  picture.height = Math.ceil((NAME_SIZE * 1.4 + 2 * HALO) * ratio);
  const context = picture.getContext("2d");
  context.scale(ratio, ratio);
  Object.assign(context, { font, textBaseline: "top", lineJoin: "round", lineWidth: 3.5, strokeStyle: look.ground, fillStyle: look.text });
  context.strokeText(words, HALO, HALO);
  context.fillText(words, HALO, HALO);
  paint(context);
  state.pictures.set(key, picture);
  return picture;
}

// Names belong to the picture that is on the screen, which may be one of the graph before.
function writeNames(state, context) {
  const chosen = [state.focused, state.hovered].filter((node) => node >= 0);
  context.globalAlpha = 1;
  for (const name of state.placed) if (!chosen.includes(name.node)) writeName(state, context, name);
  for (const node of chosen) {
    const offset = (state.placed.find((name) => name.node === node) || { offset: placesOf(state, node)[0] }).offset;
    writeName(state, context, { offset, x: state.graph.x[node], y: state.graph.y[node], picture: nameOf(state, node) });
  }
}

function writeName(state, context, { offset, x, y, picture }) {
  const { ratio, scale } = state;
  const [left, top] = [x * scale + state.dx + offset[0] + 3 - HALO, y * scale + state.dy + offset[1] + 1 - HALO];
  context.drawImage(picture, Math.round(left * ratio) / ratio, Math.round(top * ratio) / ratio, picture.width / ratio, picture.height / ratio);
}

// ---- moving ---------------------------------------------------------------------------------------------------------

function moved(state) {
  frame(state);
  clearTimeout(state.rest);
  state.rest = setTimeout(() => make(state), REST);
}

function zoom(state, factor, x = state.width / 2, y = state.height / 2) {
  const scale = between(state.scale * factor, 0.4, 60);
  state.dx = x - (x - state.dx) * (scale / state.scale);
  state.dy = y - (y - state.dy) * (scale / state.scale);
  state.scale = scale;
  moved(state);
}

function showAll(state) {
  Object.assign(state, { scale: 1, dx: 0, dy: 0 });
  moved(state);
}

function bringIntoView(state, node) {
  if (node < 0) return;
  const [x, y] = [screenX(state, node), screenY(state, node)];
  if (x > 30 && y > 30 && x < state.width - 30 && y < state.height - 30) return;
  state.dx += state.width / 2 - x;
  state.dy += state.height / 2 - y;
  moved(state);
}

function nodeAt(state, x, y) {
  const reach = 14 / state.scale;
  const [gx, gy] = [(x - state.dx) / state.scale, (y - state.dy) / state.scale];
  let [best, nearest] = [-1, Infinity];
  const far = Math.ceil((reach + 40 / state.scale) / CELL);
  for (let column = -far; column <= far; column += 1) {
    for (let row = -far; row <= far; row += 1) {
      for (const node of state.cells.get(cellOf(gx + column * CELL, gy + row * CELL)) || []) {
        const away = Math.hypot(screenX(state, node) - x, screenY(state, node) - y) - radius(state, node);
        if (away < 8 && away < nearest) [best, nearest] = [node, away];
      }
    }
  }
  return best;
}

// The line of the selected entity under the pointer: its other end.
function lineAt(state, x, y) {
  for (const other of state.selected >= 0 ? state.near : []) {
    const [x1, y1, x2, y2] = [screenX(state, state.selected), screenY(state, state.selected), screenX(state, other), screenY(state, other)];
    const long = (x2 - x1) ** 2 + (y2 - y1) ** 2;
    const part = between(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / (long || 1), 0, 1);
    if (Math.hypot(x - x1 - part * (x2 - x1), y - y1 - part * (y2 - y1)) < 5) return other;
  }
  return -1;
}

function choose(state, type, node, other = -1) {
  const index = (place) => (place < 0 ? -1 : state.graph.index[place]);
  state.send("choice", { type, index: index(node), other: index(other) });
  if (type !== "clear") setTimeout(() => revealPanel(state), PAGE_TIME);
}

// Where the panel stands below the drawing, bring its beginning up to the middle of the screen.
function revealPanel(state) {
  const top = document.querySelector(".st-key-graph-panel")?.getBoundingClientRect().top ?? 0;
  const hidden = top - innerHeight * 0.6;
  if (hidden > 0 && top >= state.box.getBoundingClientRect().bottom) state.host.closest('[data-testid="stMain"]')?.scrollBy({ top: hidden, behavior: "smooth" });
}

function facts(state, node) {
  const { graph, data: { labels } } = state;
  const folded = graph.type[node] < 0;
  const type = folded ? labels.community : labels.types[graph.types[graph.type[node]]] || graph.types[graph.type[node]];
  return { name: graph.names[node], type, mentions: graph.size[node], relations: graph.starts[node + 1] - graph.starts[node] };
}

function tip(state, node, x, y) {
  state.tip.hidden = node < 0;
  if (node < 0) return;
  const detail = document.createElement("small");
  detail.textContent = fill(state.data.labels.node, facts(state, node));
  state.tip.replaceChildren(document.createTextNode(state.graph.names[node]), detail);
  const above = y + 18 + state.tip.offsetHeight > state.height;
  state.tip.style.left = `${between(x + 14, 8, Math.max(8, state.width - state.tip.offsetWidth - 8))}px`;
  state.tip.style.top = `${above ? y - state.tip.offsetHeight - 12 : y + 14}px`;
}

function hover(state, node, x, y) {
  tip(state, node, x, y);
  state.canvas.classList.toggle("over", node >= 0);
  if (node === state.hovered) return;
  state.hovered = node;
  frame(state);
}

// ---- input ----------------------------------------------------------------------------------------------------------

function listenToPointers(state) {
  const { canvas } = state;
  const down = new Map();
  let far = 0;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.classList.add("pointed");
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, at(event));
    far = down.size > 1 ? 99 : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (!state.graph) return;
    if (!down.has(event.pointerId)) return event.pointerType === "mouse" ? hover(state, nodeAt(state, x, y), x, y) : undefined;
    const [px, py] = down.get(event.pointerId);
    far += Math.hypot(x - px, y - py);
    if (far < 4) return undefined;
    hover(state, -1, x, y);
    if (down.size === 2) {
      const [ox, oy] = [...down].find(([id]) => id !== event.pointerId)[1];
      zoom(state, Math.hypot(x - ox, y - oy) / (Math.hypot(px - ox, py - oy) || 1), (x + ox) / 2, (y + oy) / 2);
    }
    state.dx += (x - px) / down.size;
    state.dy += (y - py) / down.size;
    down.set(event.pointerId, [x, y]);
    return moved(state);
  });
  const up = (event) => {
    const was = down.delete(event.pointerId);
    if (was && event.type === "pointerup" && far < 4 && state.graph) click(state, ...at(event));
  };
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, up);
  canvas.addEventListener("pointerleave", () => { if (state.graph) hover(state, -1, 0, 0); });
  canvas.addEventListener("dblclick", (event) => {
    const node = state.graph ? nodeAt(state, ...at(event)) : -1;
    if (node >= 0) choose(state, "focus", node);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (state.graph) zoom(state, Math.exp(-between(event.deltaY, -200, 200) / 420), ...at(event));
  }, { passive: false });
}

function click(state, x, y) {
  const node = nodeAt(state, x, y);
  state.focused = -1;
  if (node >= 0) return choose(state, "select", node);
  const other = lineAt(state, x, y);
  if (other >= 0) return choose(state, "edge", state.selected, other);
  return state.selected >= 0 ? choose(state, "clear", -1) : undefined;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Along the line that leads most nearly in the direction of the arrow.
function step(state, [ax, ay]) {
  const here = state.focused;
  const others = nearOf(state, here);
  let [best, most] = [-1, 0.25];
  for (const node of others) {
    const [x, y] = [screenX(state, node) - screenX(state, here), screenY(state, node) - screenY(state, here)];
    const score = (x * ax + y * ay) / (Math.hypot(x, y) || 1);
    if (score > most) [best, most] = [node, score];
  }
  if (best < 0) say(state, state.data.labels.no_way);
  else focusOn(state, best);
}

// All others that it is connected with, the strongest first.
function cycle(state, by) {
  if (state.from < 0 || !nearOf(state, state.from).includes(state.focused)) state.from = state.focused;
  const others = nearOf(state, state.from);
  if (!others.length) return say(state, state.data.labels.no_way);
  const at = others.indexOf(state.focused);
  const from = state.from;
  focusOn(state, others[(at + by + others.length + (at < 0 && by < 0 ? 1 : 0)) % others.length]);
  state.from = from;
  return undefined;
}

function focusOn(state, node) {
  state.focused = node;
  state.from = -1;
  bringIntoView(state, node);
  say(state, fill(state.data.labels.focused, facts(state, node)));
  frame(state);
}

function say(state, words) {
  state.live.textContent = words;
}

function listenToKeys(state) {
  const { canvas } = state;
  canvas.addEventListener("keydown", (event) => {
    if (!state.graph || !state.graph.count || event.ctrlKey || event.metaKey || event.altKey) return;
    canvas.classList.remove("pointed");
    const start = state.focused < 0;
    if (start) state.focused = state.selected >= 0 ? state.selected : state.graph.order[0];
    const acts = {
      Enter: () => choose(state, event.shiftKey ? "focus" : "select", state.focused),
      Escape: () => choose(state, "clear", -1),
      Home: () => focusOn(state, state.graph.order[0]),
      PageDown: () => cycle(state, 1),
      PageUp: () => cycle(state, -1),
      "+": () => zoom(state, 1.35), "-": () => zoom(state, 1 / 1.35), 0: () => showAll(state),
    };
    const act = ARROWS[event.key] ? () => (start ? focusOn(state, state.focused) : step(state, ARROWS[event.key])) : acts[event.key];
    if (!act) {
      if (start) state.focused = -1;
      return;
    }
    event.preventDefault();
    act();
  });
  canvas.addEventListener("blur", () => { state.focused = -1; frame(state); });
}

function addTools(state) {
  const { labels } = state.data;
  const tools = [["+", "zoom_in", () => zoom(state, 1.35)], ["−", "zoom_out", () => zoom(state, 1 / 1.35)], ["⤢", "fit", () => showAll(state)], ["□", "full", () => toggleFull(state.box)], ["↓", "png", () => savePicture(state)]];
  state.tools.replaceChildren(...tools.map(([sign, label, act]) => {
    const button = document.createElement("button");
    button.textContent = sign;
    button.title = labels[label];
    button.setAttribute("aria-label", labels[label]);
    button.addEventListener("click", act);
    return button;
  }));
}

function toggleFull(box) {
  if (document.fullscreenElement) document.exitFullscreen();
  else box.requestFullscreen();
}

// What is on the screen, on its ground.
function savePicture(state) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [state.canvas.width, state.canvas.height];
  const context = picture.getContext("2d");
  context.fillStyle = state.look.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(state.canvas, 0, 0);
  picture.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = "kg_view.png";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

function report(state) {
  const shown = state.seen.nodes.length.toLocaleString("en");
  const lines = state.seen.lines.toLocaleString("en");
  state.status.textContent = fill(state.data.labels.status, { entities: shown, relations: lines });
  if (!state.motion) state.canvas.dataset.drawn = state.graph.source;
}

// ---- life -----------------------------------------------------------------------------------------------------------

async function load(state, source) {
  if (state.source === source) return;
  state.source = source;
  const data = await fetch(source).then((answer) => (answer.ok ? answer.arrayBuffer() : null)).catch(() => null);
  if (state.source !== source) return;
  if (!data) {
    say(state, state.data.labels.failed);
    state.status.textContent = state.data.labels.failed;
    return;
  }
  const { version } = state.data;
  const graph = await read(data);
  if (state.source !== source) return;
  const before = state.graph;
  state.graph = { ...graph, version, source };
  const placed = state.placed.map((name) => ({ ...name, node: -1 }));
  Object.assign(state, { hovered: -1, focused: -1, from: -1, placed });
  size(state);
  fit(state);
  if (!before) Object.assign(state, { scale: 1, dx: 0, dy: 0 });
  takeSelection(state);
  bringIntoView(state, state.selected);
  moveFrom(state, before);
  make(state);
}

function create(parent) {
  const find = (name) => parent.querySelector(`.${name}`);
  const state = {
    host: parent.host || parent, box: find("whole-box"), canvas: find("whole-canvas"), tip: find("whole-tip"), live: find("whole-live"),
    tools: find("whole-tools"), status: find("whole-status"), made: document.createElement("canvas"), making: document.createElement("canvas"),
    scale: 1, dx: 0, dy: 0, hovered: -1, focused: -1, selected: -1, from: -1, near: new Set(), marked: new Set(), way: [], edge: [], placed: [], widths: new Map(), pictures: new Map(),
  };
  listenToPointers(state);
  listenToKeys(state);
  state.observer = new ResizeObserver(() => {
    if (!size(state) || !state.graph) return;
    fit(state);
    state.madeView = null;
    make(state);
  });
  state.observer.observe(state.canvas);
  return state;
}

export default function ({ parentElement, data, setTriggerValue }) {
  let state = held.get(parentElement);
  if (!state) {
    state = create(parentElement);
    held.set(parentElement, state);
  }
  const before = state.data ? JSON.stringify([state.data.selected, state.data.edge, state.data.marked, state.data.way, state.data.near, state.data.coloured]) : "";
  const look = JSON.stringify(readLook(state.host));
  state.data = data;
  state.send = setTriggerValue;
  state.canvas.setAttribute("aria-label", data.labels.graph);
  if (look !== state.lookText) Object.assign(state, { lookText: look, look: JSON.parse(look), widths: new Map(), pictures: new Map() });
  addTools(state);
  const changed = before !== JSON.stringify([data.selected, data.edge, data.marked, data.way, data.near, data.coloured]);
  if (state.graph && state.source === data.source) {
    takeSelection(state);
    if (changed) bringIntoView(state, state.selected);
    make(state);
  }
  load(state, data.source);
  return () => {
    state.observer.disconnect();
    clearTimeout(state.rest);
    held.delete(parentElement);
  };
}
