// Draws the graph inside its sandboxed frame: takes theme and selection from the page around it, gives back choices.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const container = document.getElementById("graph");
  const tip = document.getElementById("tip");
  const SHAPES = { TECHNOLOGY: "dot", CONCEPT: "diamond", PERSON: "triangle", ORGANIZATION: "square", LOCATION: "triangleDown" };
  const FADED = 0.2;

  const names = new Map();
  const nodes = new vis.DataSet(read("nodes").map(({ label, ...node }) => {
    names.set(node.id, label);
    return { ...node, label: undefined, shape: SHAPES[node.group] || "dot" };
  }));
  const edges = new vis.DataSet(read("edges").map((edge, index) => ({ ...edge, id: `e${index}`, weak: edge.hidden })));
  const byImportance = nodes.get().sort((a, b) => b.mentions - a.mentions).map((node) => node.id);
  const sizes = new Map(nodes.get().map((node) => [node.id, node.size]));
  const links = new Map(byImportance.map((id) => [id, new Set()]));
  edges.forEach((edge) => { links.get(edge.from).add(edge.to); links.get(edge.to).add(edge.from); });

  let style = null;
  let selected = null;
  let asked = [];
  let hovered = null;
  let focused = null; // by keyboard
  let from = null; // whose neighbours Page Up and Page Down go through
  let network = null;

  const tell = (message) => { if (window.parent !== window) window.parent.postMessage({ source: "graph-view", ...message }, "*"); };

  function near(id) {
    return id === selected || (links.has(selected) && links.get(selected).has(id));
  }

  function colourOf(node) {
    if (node.community === undefined) return style.types[node.group] || style.types.OTHER;
    return style.communities[node.community] || style.types.OTHER;
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
    edges.update(edges.get().map((edge) => {
      const touches = (has && (edge.from === selected || edge.to === selected)) || (asked.includes(edge.from) && asked.includes(edge.to));
      return { id: edge.id, hidden: edge.weak && !touches, color: { color: touches ? style.accent : style.edge, opacity: has && !touches ? FADED / 2 : touches ? 0.6 : 0.5 } };
    }));
  }

  const NAME_SIZE = 12.5;
  const EDGE = 12; // pixels that a name may stick out beyond the outermost nodes
  const isStrong = (id) => id === selected || id === hovered || id === focused;
  const fontOf = (id, size) => `${isStrong(id) ? 600 : 400} ${size}px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif`;
  const textOf = (id) => {
    const name = names.get(id);
    return name.length > 30 && !isStrong(id) ? `${name.slice(0, 29)}…` : name;
  };
  const covers = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
  const widths = new Map();
  let placed = { for: "", names: [] };

  function widthOf(context, id) {
    const key = `${isStrong(id)} ${id}`;
    if (!widths.has(key)) {
      context.font = fontOf(id, NAME_SIZE);
      widths.set(key, context.measureText(textOf(id)).width);
    }
    return widths.get(key);
  }

  function discOf(id) {
    const [at, reach] = [network.getPosition(id), sizes.get(id) * 0.8];
    return [at.x - reach, at.y - reach, at.x + reach, at.y + reach];
  }

  // Below its node where that is free, else beside or above it.
  function boxesBeside(id, width, scale) {
    const [at, reach] = [network.getPosition(id), sizes.get(id)];
    const [half, high, gap] = [(width / 2 + 3) / scale, (NAME_SIZE * 1.15) / scale, 3 / scale];
    const box = (left, top) => [left, top, left + 2 * half, top + high];
    const sides = [at.x + reach, at.x - reach - 2 * half].map((left) => box(left, at.y - high / 2));
    return [box(at.x - half, at.y + reach + gap), ...sides, box(at.x - half, at.y - reach - gap - high)];
  }

  // Most important first, none over another or over a more important node; where there is room over no node at all;
  // none beyond the outermost nodes. The same wherever the drawing is dragged.
  function placeNames(context, scale) {
    const has = names.has(selected);
    const order = has ? [selected, ...links.get(selected), ...byImportance.filter((id) => !near(id))] : byImportance;
    const discs = new Map(byImportance.map((id) => [id, discOf(id)]));
    const all = [...discs.values()];
    const edge = (side, pick) => pick(...all.map((disc) => disc[side]));
    const [left, right] = [edge(0, Math.min) - EDGE / scale, edge(2, Math.max) + EDGE / scale];
    const isInside = (box) => box[0] >= left && box[2] <= right;
    const isClear = (box) => !all.some((disc) => covers(disc, box));
    const taken = [];
    const chosen = [];
    const first = [focused, hovered].filter((id) => names.has(id));
    for (const id of [...first, ...order.filter((id) => !first.includes(id))]) {
      if (has && !near(id) && !isStrong(id)) continue;
      const places = boxesBeside(id, widthOf(context, id), scale);
      const free = places.filter((place) => isInside(place) && !taken.some((other) => covers(other, place)));
      const box = free.find(isClear) || free[0] || (isStrong(id) && places[0]);
      taken.push(discs.get(id));
      if (!box) continue;
      taken.push(box);
      chosen.push({ id, box });
    }
    return chosen;
  }

  // Names at a constant size on the screen.
  function drawNames(context) {
    const scale = network.getScale();
    ringFocused(context, scale);
    const wanted = `${scale} ${selected} ${hovered} ${focused}`;
    if (placed.for !== wanted) placed = { for: wanted, names: placeNames(context, scale) };
    const from = network.DOMtoCanvas({ x: 0, y: 0 });
    const to = network.DOMtoCanvas({ x: container.clientWidth, y: container.clientHeight });
    const frame = [from.x, from.y, to.x, to.y];
    Object.assign(context, { textAlign: "center", textBaseline: "top", lineJoin: "round", lineWidth: 3.5 / scale });
    context.strokeStyle = style.background;
    context.fillStyle = style.text;
    for (const { id, box } of placed.names) {
      if (!covers(box, frame)) continue;
      context.font = fontOf(id, NAME_SIZE / scale);
      const middle = (box[0] + box[2]) / 2;
      context.strokeText(textOf(id), middle, box[1]);
      context.fillText(textOf(id), middle, box[1]);
    }
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
    network.on("click", ({ nodes: hit, edges: lines }) => {
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
      const { from, to, weight } = edges.get(edge);
      container.classList.add("over");
      showTip([`${names.get(from)} — ${names.get(to)}`, fill(style.labels.edge, { weight })], pointer.DOM);
    });
    const leave = () => { hovered = null; tip.hidden = true; container.classList.remove("over"); };
    for (const event of ["blurNode", "blurEdge", "dragStart", "zoom"]) network.on(event, leave);
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
      "+": () => zoom(1.35), "-": () => zoom(1 / 1.35), 0: () => network.fit({ animation: { duration: 250 } }),
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
    const tools = [["+", "zoom_in", () => zoom(1.35)], ["−", "zoom_out", () => zoom(1 / 1.35)], ["⤢", "fit", () => network.fit({ animation: { duration: 250 } })], ["↓", "png", takePicture]];
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

  function bringIntoView(id) {
    const at = network.canvasToDOM(network.getPosition(id));
    const outside = at.x < 40 || at.y < 40 || at.x > container.clientWidth - 40 || at.y > container.clientHeight - 40;
    if (outside) network.moveTo({ position: network.getPosition(id), animation: { duration: 300 } });
  }

  function apply(message) {
    style = message.style;
    selected = message.selected || null;
    asked = message.edge || [];
    for (const [name, value] of Object.entries({ text: style.text, panel: style.background, border: style.border, focus: style.accent })) {
      document.documentElement.style.setProperty(`--${name}`, value);
    }
    document.documentElement.lang = style.labels.language;
    container.setAttribute("aria-label", style.labels.graph);
    paint();
    if (!network) {
      network = new vis.Network(container, { nodes, edges }, read("options"));
      container.querySelectorAll("[tabindex]").forEach((part) => part.removeAttribute("tabindex")); // one stop, with our keys
      listen();
      network.once("afterDrawing", () => tell({ type: "drawn" }));
      network.fit({ animation: false });
      network.moveTo({ scale: network.getScale() * 0.93 });
    }
    addTools();
    if (names.has(selected)) bringIntoView(selected);
  }

  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || !event.data || event.data.target !== "graph-view") return;
    apply(event.data);
  });
  tell({ type: "ready" });
})();
