// Draws the graph inside its sandboxed frame: takes theme and selection from the page around it, gives back choices.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const container = document.getElementById("graph");
  const tip = document.getElementById("tip");
  const SHAPES = { TECHNOLOGY: "dot", CONCEPT: "diamond", PERSON: "triangle", ORGANIZATION: "square", LOCATION: "triangleDown", EVENT: "diamond", CREATIVE_WORK: "square" };
  const FADED = 0.2;
  const FEW = 40; // nodes that have room for the words of their relations

  const names = new Map();
  const drawn = read("nodes");
  const few = drawn.length <= FEW;
  const nodes = new vis.DataSet(drawn.map(({ label, ...node }) => {
    names.set(node.id, label);
    return { ...node, size: few ? node.size * 0.65 + 1 : node.size, label: undefined, shape: SHAPES[node.group] || "dot" };
  }));
  const edges = new vis.DataSet(read("edges").map((edge, index) => ({ ...edge, id: `e${index}`, weak: edge.hidden, usual: edge.width })));
  const byImportance = nodes.get().sort((a, b) => b.mentions - a.mentions).map((node) => node.id);
  const sizes = new Map(nodes.get().map((node) => [node.id, node.size]));
  const links = new Map(byImportance.map((id) => [id, new Set()]));
  edges.forEach((edge) => { links.get(edge.from).add(edge.to); links.get(edge.to).add(edge.from); });

  const places = nodes.get().map(({ id, x, y }) => ({ id, x, y })); // as they came

  let style = null;
  let selected = null;
  let asked = [];
  let way = []; // of a path: lists of ids, each node beside the next
  let steps = new Set();
  let hovered = null;
  let focused = null; // by keyboard
  let from = null; // whose neighbours Page Up and Page Down go through
  let network = null;
  let moved = false; // by the reader, who keeps the view then

  const tell = (message) => { if (window.parent !== window) window.parent.postMessage({ source: "graph-view", ...message }, "*"); };

  function near(id) {
    return id === selected || (links.has(selected) && links.get(selected).has(id));
  }

  function colourOf(node) {
    if (node.community === undefined) return style.types[node.group] || style.types.OTHER;
    return style.communities[node.community] || style.types.OTHER;
  }

  const pairOf = (one, other) => [one, other].sort().join(" ");

  function lineOf(edge, has) {
    const isStep = steps.has(pairOf(edge.from, edge.to));
    const touches = (has && (edge.from === selected || edge.to === selected)) || (asked.includes(edge.from) && asked.includes(edge.to));
    const opacity = isStep ? 0.9 : has && !touches ? FADED / 2 : touches ? 0.6 : steps.size ? FADED : 0.5;
    return {
      id: edge.id,
      hidden: edge.weak && !touches && !isStep,
      width: isStep ? Math.max(edge.usual, 3.5) : edge.usual,
      dashes: steps.size > 0 && !(isStep && edge.verb), // what is only counted on a path is no statement
      arrows: { to: { enabled: (few || touches) && edge.verb !== "", scaleFactor: 0.7 } },
      color: { color: touches || isStep ? style.accent : style.edge, opacity },
    };
  }

  function paint() {
    const has = names.has(selected);
    nodes.update(nodes.get().map((node) => ({
      id: node.id,
      opacity: has && !near(node.id) ? FADED : 1,
      borderWidth: node.id === selected ? 4 : 1.5,
      color: {
        background: colourOf(node),
        border: node.id === selected ? style.text : style.background,
      },
    })));
    edges.update(edges.get().map((edge) => lineOf(edge, has)));
  }

  const FAMILY = getComputedStyle(document.body).fontFamily;
  const NAME_SIZE = 12.5;
  const VERB_SIZE = 11;
  const MOST_SAID = 40; // characters of a relation's words
  const EDGE = 12; // pixels that a name may stick out beyond the outermost nodes
  const isStrong = (id) => id === selected || id === hovered || id === focused;
  const fontOf = (id, size) => `${isStrong(id) ? 600 : 400} ${size}px ${FAMILY}`;
  const LENGTHS = few ? [44, 24, 14] : [30]; // of names on the drawing: a long one is cut short before it covers another
  const textOf = (id, most) => {
    const name = names.get(id);
    return name.length > most && !isStrong(id) ? `${name.slice(0, most - 1)}…` : name;
  };
  const covers = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
  const widths = new Map();
  let placed = { for: "", names: [] };
  document.fonts.load(`${NAME_SIZE}px ${FAMILY}`).then(() => {
    widths.clear(); // were measured in another font
    placed = { for: "", names: [] };
    network?.redraw();
  });

  function widthOf(context, id, most) {
    const key = `${isStrong(id)} ${most} ${id}`;
    if (!widths.has(key)) {
      context.font = fontOf(id, NAME_SIZE);
      widths.set(key, context.measureText(textOf(id, most)).width);
    }
    return widths.get(key);
  }

  function discOf(id) {
    const [at, reach] = [network.getPosition(id), sizes.get(id) * 0.8];
    return [at.x - reach, at.y - reach, at.x + reach, at.y + reach];
  }

  // Below its node where that is free, else beside or above it, else across a corner.
  function boxesBeside(id, width, scale) {
    const [at, reach] = [network.getPosition(id), sizes.get(id)];
    const [half, high, gap] = [(width / 2 + 3) / scale, (NAME_SIZE * 1.15) / scale, 3 / scale];
    const box = (left, top) => [left, top, left + 2 * half, top + high];
    const [right, left, above, below] = [at.x + reach, at.x - reach - 2 * half, at.y - reach - gap - high, at.y + reach + gap];
    const sides = [right, left].map((x) => box(x, at.y - high / 2));
    const [under, over] = [box(at.x - half, below), box(at.x - half, above)];
    if (!few) return [under, ...sides, over];
    const corners = [below - high / 2, above + high / 2].flatMap((y) => [box(right - reach * 0.4, y), box(left + reach * 0.4, y)]);
    return [under, ...sides, over, ...corners];
  }

  const overlap = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  const least = (boxes, cost) => boxes.reduce((best, box) => (cost(box) < cost(best) ? box : best));

  // Where names may stand: not beyond the outermost nodes, or, of a few, not beyond the frame.
  function roomOf(discs, scale) {
    if (few) {
      const [from, to] = [network.DOMtoCanvas({ x: 4, y: 4 }), network.DOMtoCanvas({ x: container.clientWidth - 4, y: container.clientHeight - 4 })];
      return [from.x, from.y, to.x, to.y];
    }
    const edge = (side, pick) => pick(...discs.map((disc) => disc[side]));
    return [edge(0, Math.min) - EDGE / scale, -Infinity, edge(2, Math.max) + EDGE / scale, Infinity];
  }

  // Whether a line from one point to another passes through the box: what is cut off on each of its sides leaves some.
  function crosses([a, b], box) {
    let [start, end] = [0, 1];
    for (const [from, by, low, high] of [[a.x, b.x - a.x, box[0], box[2]], [a.y, b.y - a.y, box[1], box[3]]]) {
      if (!by && (from < low || from > high)) return false;
      if (!by) continue;
      const [one, other] = [(low - from) / by, (high - from) / by];
      [start, end] = [Math.max(start, Math.min(one, other)), Math.min(end, Math.max(one, other))];
    }
    return start < end;
  }

  function toolsBox() {
    const { left, top, right, bottom } = document.getElementById("tools").getBoundingClientRect();
    const [from, to] = [network.DOMtoCanvas({ x: left - 4, y: top - 4 }), network.DOMtoCanvas({ x: right, y: bottom })];
    return [from.x, from.y, to.x, to.y];
  }

  // Most important first, none over another or over a more important node; where there is room over no node at all. The
  // others wait for a closer look, or for the pointer. The same wherever the drawing is dragged.
  function placeNames(context, scale) {
    const has = names.has(selected);
    const order = has ? [selected, ...links.get(selected), ...byImportance.filter((id) => !near(id))] : byImportance;
    const discs = new Map(byImportance.map((id) => [id, discOf(id)]));
    const all = [...discs.values()];
    const room = roomOf(all, scale);
    const isInside = (box) => box[0] >= room[0] && box[1] >= room[1] && box[2] <= room[2] && box[3] <= room[3];
    const isClear = (box) => !all.some((disc) => covers(disc, box));
    const lines = few ? edges.get({ filter: (edge) => !edge.hidden }).map((edge) => [network.getPosition(edge.from), network.getPosition(edge.to)]) : [];
    const isOpen = (box) => isClear(box) && !lines.some((line) => crosses(line, box));
    const taken = few ? [toolsBox()] : [];
    const chosen = [];
    const hides = (box) => all.concat(taken).reduce((sum, other) => sum + overlap(other, box), isInside(box) ? 0 : 1e6);
    const ends = way.flatMap((leg) => [leg[0], leg[leg.length - 1]]);
    const first = [focused, hovered, ...ends].filter((id) => names.has(id));
    for (const id of new Set([...first, ...order])) {
      const isNamed = isStrong(id) || ends.includes(id);
      if (has && !near(id) && !isNamed && !few) continue;
      let [box, most] = [null, LENGTHS[0]];
      for (most of LENGTHS) {
        const places = boxesBeside(id, widthOf(context, id, most), scale);
        const free = places.filter((place) => isInside(place) && !taken.some((other) => covers(other, place)));
        box = (few && free.find(isOpen)) || free.find(isClear) || free[0] || (isNamed && least(places, hides));
        if (free.length) break;
      }
      taken.push(discs.get(id));
      if (!box) continue;
      taken.push(box);
      chosen.push({ id, box, most });
    }
    return chosen;
  }

  // What is stated, on its line where it covers no words and no node; several verbs of two entities stand together. Of many
  // entities only those of the selected one have room.
  function placeVerbs(context, scale, chosen) {
    const said = new Map();
    edges.forEach((edge) => {
      if (!edge.verb || edge.hidden || (!few && edge.from !== selected && edge.to !== selected)) return;
      const pair = pairOf(edge.from, edge.to);
      said.set(pair, { edge, verbs: [...(said.get(pair)?.verbs ?? []), edge.verb] });
    });
    const taken = [...chosen.map(({ box }) => box), ...byImportance.map(discOf)];
    context.font = `italic ${VERB_SIZE}px ${FAMILY}`;
    return [...said.values()].flatMap(({ edge, verbs }) => {
      const all = [...new Set(verbs)].join(", ");
      const words = all.length > MOST_SAID ? `${all.slice(0, MOST_SAID - 1)}…` : all;
      const [a, b] = [network.getPosition(edge.from), network.getPosition(edge.to)];
      const [half, high] = [context.measureText(words).width / 2 / scale, (VERB_SIZE * 1.15) / scale];
      const boxes = [0.5, 0.42, 0.58, 0.34, 0.66].map((share) => {
        const [x, y] = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share];
        return [x - half, y - high / 2, x + half, y + high / 2];
      });
      const box = boxes.find((each) => !taken.some((other) => covers(other, each)));
      if (!box) return [];
      taken.push(box);
      return [{ words, box }];
    });
  }

  // Names at a constant size on the screen.
  function drawNames(context) {
    const scale = network.getScale();
    ringFocused(context, scale);
    const wanted = `${scale} ${selected} ${hovered} ${focused}`;
    if (placed.for !== wanted) {
      const chosen = placeNames(context, scale);
      placed = { for: wanted, names: chosen, verbs: few || names.has(selected) ? placeVerbs(context, scale, chosen) : [] };
    }
    const from = network.DOMtoCanvas({ x: 0, y: 0 });
    const to = network.DOMtoCanvas({ x: container.clientWidth, y: container.clientHeight });
    const frame = [from.x, from.y, to.x, to.y];
    Object.assign(context, { textAlign: "center", textBaseline: "top", lineJoin: "round", lineWidth: 3.5 / scale });
    context.strokeStyle = style.background;
    context.fillStyle = style.text;
    for (const { words, box } of placed.verbs) {
      context.font = `italic ${VERB_SIZE / scale}px ${FAMILY}`;
      context.strokeText(words, (box[0] + box[2]) / 2, box[1]);
      context.fillText(words, (box[0] + box[2]) / 2, box[1]);
    }
    for (const { id, box, most } of placed.names) {
      if (!covers(box, frame)) continue;
      context.globalAlpha = names.has(selected) && !near(id) && !isStrong(id) ? FADED * 2 : 1;
      context.font = fontOf(id, NAME_SIZE / scale);
      const middle = (box[0] + box[2]) / 2;
      context.strokeText(textOf(id, most), middle, box[1]);
      context.fillText(textOf(id, most), middle, box[1]);
    }
    context.globalAlpha = 1;
  }

  function ringFocused(context, scale) {
    if (!names.has(focused)) return;
    const at = network.getPosition(focused);
    context.strokeStyle = style.accent;
    context.lineWidth = 2.5 / scale;
    context.beginPath();
    context.arc(at.x, at.y, sizes.get(focused) + 5 / scale, 0, 7);
    context.stroke();
  }

  function showTip(lines, pointer) {
    tip.replaceChildren(document.createTextNode(lines[0]));
    if (lines[1]) {
      const detail = document.createElement("small");
      detail.textContent = lines[1];
      tip.append(detail);
    }
    tip.hidden = false;
    const left = Math.min(pointer.x + 14, container.clientWidth - tip.offsetWidth - 8);
    const above = pointer.y + 18 + tip.offsetHeight > container.clientHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above ? pointer.y - tip.offsetHeight - 12 : pointer.y + 14}px`;
  }

  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));

  function listen() {
    network.on("click", ({ nodes: hit, edges: lines, event: { srcEvent: held } }) => {
      const isSecond = held.shiftKey || held.ctrlKey || held.metaKey;
      if (isSecond && hit.length && names.has(selected) && hit[0] !== selected) return tell({ type: "edge", from: selected, to: hit[0] });
      if (hit.length) return tell({ type: "select", id: hit[0] });
      const edge = lines.length ? edges.get(lines[0]) : null;
      if (edge) return tell({ type: "edge", from: edge.from, to: edge.to });
      if (selected) tell({ type: "clear" });
    });
    network.on("doubleClick", ({ nodes: hit }) => { if (hit.length) tell({ type: "focus", id: hit[0] }); });
    network.on("hoverNode", ({ node, pointer }) => {
      hovered = node;
      container.classList.add("over");
      const entity = nodes.get(node);
      showTip([names.get(node), fill(style.labels.node, { type: style.labels.types[entity.group] || "", mentions: entity.mentions })], pointer.DOM);
    });
    network.on("hoverEdge", ({ edge, pointer }) => {
      const { from, to } = edges.get(edge);
      container.classList.add("over");
      showTip([`${names.get(from)} — ${names.get(to)}`, style.labels.edge], pointer.DOM);
    });
    const leave = () => { hovered = null; tip.hidden = true; container.classList.remove("over"); };
    for (const event of ["blurNode", "blurEdge", "dragStart", "zoom"]) network.on(event, leave);
    for (const event of ["dragStart", "zoom"]) network.on(event, () => { moved = true; });
    network.on("dragging", ({ nodes: held }) => { if (held.length) placed.for = ""; });
    network.on("afterDrawing", drawNames);
  }

  // ---- keys: along the lines, as in the whole graph --------------------------------------------------------------

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const LEAST_TOWARDS = 0.25; // cosine between an arrow and a line that still leads its way

  const say = (words) => { document.getElementById("live").textContent = words; };

  function focusOn(id) {
    focused = id;
    from = null;
    bringIntoView(id);
    const entity = nodes.get(id);
    const type = style.labels.types[entity.group] || "";
    say(fill(style.labels.focused, { name: names.get(id), type, mentions: entity.mentions, relations: links.get(id).size }));
    network.redraw();
  }

  // Along the line that leads most nearly in the direction of the arrow.
  function step([ax, ay]) {
    const here = network.getPosition(focused);
    let [best, most] = [null, LEAST_TOWARDS];
    for (const id of links.get(focused)) {
      const at = network.getPosition(id);
      const score = ((at.x - here.x) * ax + (at.y - here.y) * ay) / (Math.hypot(at.x - here.x, at.y - here.y) || 1);
      if (score > most) [best, most] = [id, score];
    }
    return best === null ? say(style.labels.no_way) : focusOn(best);
  }

  // All others that it is connected with, one after another; the edges are sorted by how much they tell.
  function cycle(by) {
    if (!links.has(from) || !links.get(from).has(focused)) from = focused;
    const others = [...links.get(from)];
    if (!others.length) return say(style.labels.no_way);
    const [start, at] = [from, others.indexOf(focused)];
    focusOn(others[(at + by + others.length + (at < 0 && by < 0 ? 1 : 0)) % others.length]);
    from = start;
    return undefined;
  }

  function zoom(factor) {
    moved = true;
    network.moveTo({ scale: network.getScale() * factor, animation: { duration: 180 } });
  }

  function hearKey(event) {
    container.classList.remove("pointed");
    if (!network || !byImportance.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const starts = focused === null;
    if (starts) focused = names.has(selected) ? selected : byImportance[0];
    const acts = {
      Enter: () => tell({ type: event.shiftKey ? "focus" : "select", id: focused }),
      Escape: () => tell({ type: "clear" }),
      Home: () => focusOn(byImportance[0]),
      PageDown: () => cycle(1),
      PageUp: () => cycle(-1),
      "+": () => zoom(1.35), "-": () => zoom(1 / 1.35), 0: () => showAll({ duration: 250 }),
    };
    const act = ARROWS[event.key] ? () => (starts ? focusOn(focused) : step(ARROWS[event.key])) : acts[event.key];
    if (!act) {
      if (starts) focused = null;
      return;
    }
    event.preventDefault();
    act();
  }

  // The ring around the drawing is for those who came here by keyboard.
  container.addEventListener("pointerdown", () => container.classList.add("pointed"), true);
  container.addEventListener("keydown", hearKey);
  container.addEventListener("blur", () => {
    focused = null;
    if (network) network.redraw();
  });

  function addTools() {
    const tools = [["+", "zoom_in", () => zoom(1.35)], ["−", "zoom_out", () => zoom(1 / 1.35)], ["⤢", "fit", () => showAll({ duration: 250 })], ["□", "full", () => tell({ type: "full" })], ["↓", "png", takePicture]];
    document.getElementById("tools").replaceChildren(...tools.map(([sign, label, act]) => {
      const button = document.createElement("button");
      button.textContent = sign;
      button.title = style.labels[label];
      button.setAttribute("aria-label", style.labels[label]);
      button.addEventListener("click", act);
      return button;
    }));
  }

  // A sandboxed frame cannot save files: the page around it does.
  function takePicture() {
    const drawn = container.querySelector("canvas");
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [drawn.width, drawn.height];
    const context = picture.getContext("2d");
    context.fillStyle = style.background;
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(drawn, 0, 0);
    tell({ type: "picture", data: picture.toDataURL("image/png") });
  }

  // ---- the room: positions come for a square, the frame is what the window leaves ------------------------------------

  const MOST_STRETCHED = few ? 3 : 1.9;

  function spanOf(points) {
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    return { x: (left + right) / 2, y: (top + bottom) / 2, wide: Math.max(right - left, 1), high: Math.max(bottom - top, 1) };
  }

  // Pixels for the nodes' centres; the rest is for their sizes, names and the tools. Two or three do not stand at its very ends.
  function room() {
    const [wide, high] = [container.clientWidth, container.clientHeight];
    const [besides, above] = few ? [Math.min(90, wide / 5), 48] : [Math.min(72, wide / 6), 34];
    const share = byImportance.length > 3 ? 1 : 0.65;
    return { wide: (wide - 2 * besides) * share, high: (high - 2 * above) * share };
  }

  const scaleFor = (span, within) => Math.min(within.wide / span.wide, within.high / span.high);

  let arranged = ""; // for a frame of this size

  // A few are moved apart, so that they stay as large as they are; of many the whole drawing is scaled. The scale, or
  // nothing where the nodes stand as they are.
  function arrange() {
    const within = room();
    const size = `${within.wide} ${within.high}`;
    if (!places.length || within.wide < 50 || within.high < 50 || size === arranged) return null;
    arranged = size;
    let points = places;
    const turned = places.map(({ id, x, y }) => ({ id, x: y, y: x }));
    if (scaleFor(spanOf(turned), within) > 1.2 * scaleFor(spanOf(places), within)) points = turned;
    const span = spanOf(points);
    const [across, down] = [within.wide / span.wide, within.high / span.high];
    const stretched = (by, other) => other * Math.min(by / other, MOST_STRETCHED);
    const [byX, byY] = [stretched(across, Math.min(across, down)), stretched(down, Math.min(across, down))];
    const scale = Math.min(1, across, down);
    nodes.update(points.map(({ id, x, y }) => ({ id, x: ((x - span.x) * byX) / scale, y: ((y - span.y) * byY) / scale })));
    return scale;
  }

  function rearrange() {
    const scale = arrange();
    if (scale === null) return;
    paint(); // moving them took their colours
    show(scale);
  }

  function show(scale) {
    placed.for = "";
    network.moveTo({ position: { x: 0, y: 0 }, scale, animation: false });
  }

  function showAll(animation) {
    const span = spanOf(byImportance.map((id) => network.getPosition(id)));
    network.moveTo({ position: { x: span.x, y: span.y }, scale: Math.min(1, scaleFor(span, room())), animation });
    moved = false;
  }

  function bringIntoView(id) {
    const at = network.canvasToDOM(network.getPosition(id));
    const outside = at.x < 40 || at.y < 40 || at.x > container.clientWidth - 40 || at.y > container.clientHeight - 40;
    if (outside) network.moveTo({ position: network.getPosition(id), animation: { duration: 300 } });
  }

  function apply(message) {
    style = message.style;
    selected = message.selected || null;
    asked = message.edge || [];
    way = message.way || [];
    steps = new Set(way.flatMap((leg) => leg.slice(1).map((id, index) => pairOf(leg[index], id))));
    placed.for = ""; // another edge may be asked for
    for (const [name, value] of Object.entries({ text: style.text, panel: style.background, border: style.border, focus: style.accent })) {
      document.documentElement.style.setProperty(`--${name}`, value);
    }
    document.documentElement.lang = style.labels.language;
    container.setAttribute("aria-label", style.labels.graph);
    addTools();
    const scale = network ? null : arrange();
    paint();
    if (!network) {
      network = new vis.Network(container, { nodes, edges }, read("options"));
      container.querySelectorAll("[tabindex]").forEach((part) => part.removeAttribute("tabindex")); // one stop, with our keys
      listen();
      network.once("afterDrawing", () => tell({ type: "drawn" }));
      if (scale !== null) show(scale);
      new ResizeObserver(() => { if (!moved) requestAnimationFrame(rearrange); }).observe(container);
    }
    if (names.has(selected)) bringIntoView(selected);
  }

  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || !event.data || event.data.target !== "graph-view") return;
    apply(event.data);
  });
  tell({ type: "ready" });
})();
