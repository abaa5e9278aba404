"use strict";
// Shows the state of a run as it comes. All texts become text nodes, so none of them is read as HTML.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const part = id => document.getElementById(id);

  const element = (name, cssClass, text) => {
    const made = document.createElement(name);
    if (cssClass) made.className = cssClass;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const row = cells => {
    const made = document.createElement("tr");
    made.append(...cells);
    return made;
  };

  const timed = (id, one) => {
    part(id).replaceChildren();
    if (!one) return;
    part(id).append(element("strong", "", one.text));
    if (one.share !== null) {
      const bar = element("progress");
      bar.value = one.share;
      bar.setAttribute("aria-label", one.text);
      part(id).append(bar);
    }
    part(id).append(element("span", "quiet", one.left));
  };

  const course = values => {
    const most = Math.max(...values.filter(value => value !== null), 0) || 1;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "course");
    const room = Math.max(60, values.length);
    svg.setAttribute("viewBox", `0 0 ${room} 34`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(SVG, "polyline");
    line.setAttribute("points", values
      .map((value, i) => value === null ? "" : `${room - values.length + i},${(32 - 30 * value / most).toFixed(1)}`)
      .join(" "));
    svg.append(line);
    return svg;
  };

  const gauge = one => {
    const drawn = element("td");
    drawn.append(course(one.course));
    return row([element("td", "", one.name), element("td", one.bad ? "n bad" : "n", one.text), drawn]);
  };

  const limit = one => {
    const bar = element("div", "bar");
    const filled = element("div", one.tone);
    filled.style.width = `${100 * one.share}%`;
    bar.append(filled);
    const drawn = element("td");
    drawn.append(bar);
    return row([element("td", "", one.name), element("td", "n", one.used), drawn, element("td", "n", one.percent)]);
  };

  const reached = levels => levels.flatMap((level, i) => [
    ...(i ? [" · "] : []), element("span", level.wall ? "level bad" : "level", level.text)]);

  // Between two measurements there is nothing to show.
  const rows = (id, all) => {
    part(id).replaceChildren(...all);
    part(id).closest("section").hidden = all.length === 0;
  };

  const draw = state => {
    document.title = `${state.clock} ${state.command}`;
    part("command").textContent = state.command;
    part("clock").textContent = state.clock;
    timed("step", state.step);
    part("reached").replaceChildren(...reached(state.reached));
    timed("moment", state.moment);
    rows("gauges", state.gauges.map(gauge));
    rows("limits", state.limits.map(limit));
  };

  const say = line => {
    const said = part("said");
    const atEnd = said.scrollTop + said.clientHeight >= said.scrollHeight - 4;
    said.append(`${line}\n`);
    if (atEnd) said.scrollTop = said.scrollHeight;
  };

  const ended = () => {
    part("moment").replaceChildren(element("strong", "", "The run has ended."));
    part("step").replaceChildren();
  };

  draw(JSON.parse(part("first").textContent));
  const source = new EventSource("events");
  const on = (name, show) => source.addEventListener(name, event => show(JSON.parse(event.data)));
  on("state", draw);
  on("said", say);
  on("end", () => { source.close(); ended(); });
  on("page", html => {
    source.close();
    document.open();
    document.write(html);
    document.close();
  });
  // Wallfinder is gone: a new connection would lead nowhere.
  source.onerror = () => { source.close(); ended(); };
})();
