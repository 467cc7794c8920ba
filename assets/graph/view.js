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
  let network = null;

  const tell = (message) => { if (window.parent !== window) window.parent.postMessage({ source: "graph-view", ...message }, "*"); };

  function near(id) {
    return id === selected || (links.has(selected) && links.get(selected).has(id));
  }

  function paint() {
    const has = names.has(selected);
    nodes.update(nodes.get().map((node) => ({
      id: node.id,
      opacity: has && !near(node.id) ? FADED : 1,
      borderWidth: node.id === selected ? 4 : 1.5,
      color: {
        background: style.types[node.group] || style.types.OTHER,
        border: node.id === selected ? style.text : style.background,
      },
    })));
    edges.update(edges.get().map((edge) => {
      const touches = (has && (edge.from === selected || edge.to === selected)) || (asked.includes(edge.from) && asked.includes(edge.to));
      return { id: edge.id, hidden: edge.weak && !touches, color: { color: touches ? style.accent : style.edge, opacity: has && !touches ? FADED / 2 : touches ? 0.6 : 0.5 } };
    }));
  }

  const covers = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

  // Names at a constant size on the screen, most important first, none over another or over a more important node.
  function drawNames(context) {
    const scale = network.getScale();
    const size = 12.5 / scale;
    const has = names.has(selected);
    const taken = [];
    const order = has ? [selected, ...links.get(selected), ...byImportance.filter((id) => !near(id))] : byImportance;
    const first = hovered && names.has(hovered) ? [hovered, ...order.filter((id) => id !== hovered)] : order;
    const frame = { a: network.DOMtoCanvas({ x: 0, y: 0 }), b: network.DOMtoCanvas({ x: container.clientWidth, y: container.clientHeight }) };
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineJoin = "round";
    for (const id of first) {
      const at = network.getPosition(id);
      if (at.x < frame.a.x || at.x > frame.b.x || at.y < frame.a.y || at.y > frame.b.y) continue;
      const strong = id === selected || id === hovered;
      if (has && !near(id) && !strong) continue;
      context.font = `${strong ? 600 : 400} ${size}px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif`;
      const name = names.get(id);
      const text = name.length > 30 && !strong ? `${name.slice(0, 29)}…` : name;
      const half = context.measureText(text).width / 2 + 3 / scale;
      const top = at.y + sizes.get(id) + 3 / scale;
      const box = [at.x - half, top, at.x + half, top + size * 1.15];
      const free = !taken.some((other) => covers(other, box));
      const reach = sizes.get(id) * 0.8;
      taken.push([at.x - reach, at.y - reach, at.x + reach, at.y + reach]);
      if (!free && !strong) continue;
      taken.push(box);
      context.lineWidth = 3.5 / scale;
      context.strokeStyle = style.background;
      context.strokeText(text, at.x, top);
      context.fillStyle = style.text;
      context.fillText(text, at.x, top);
    }
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
    network.on("afterDrawing", drawNames);
  }

  // The ring around the drawing is for those who came here by keyboard.
  container.addEventListener("pointerdown", () => container.classList.add("pointed"), true);
  document.addEventListener("keydown", () => container.classList.remove("pointed"), true);

  function addTools() {
    const zoom = (factor) => network.moveTo({ scale: network.getScale() * factor, animation: { duration: 180 } });
    const tools = [["+", "zoom_in", () => zoom(1.35)], ["−", "zoom_out", () => zoom(1 / 1.35)], ["⤢", "fit", () => network.fit({ animation: { duration: 250 } })]];
    document.getElementById("tools").replaceChildren(...tools.map(([sign, label, act]) => {
      const button = document.createElement("button");
      button.textContent = sign;
      button.title = style.labels[label];
      button.setAttribute("aria-label", style.labels[label]);
      button.addEventListener("click", act);
      return button;
    }));
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
