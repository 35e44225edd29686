"use strict";
// What the page can do beyond being read: say what is under the cursor, and show a part of the time.
// Values are read back from the drawn paths, so that the page holds them once.
const WIDTH = 10000, HEIGHT = 4000;

// Where a path goes, from its whole-number steps.
const points = path => {
  const steps = (path.getAttribute("d").match(/-?\d+/g) || []).map(Number);
  const xs = [], ys = [];
  for (let i = 0, x = 0, y = 0; i < steps.length; i += 2) {
    xs.push(x += steps[i]);
    ys.push(y += steps[i + 1]);
  }
  return { xs, ys };
};

// A number with the digits that tell it from others at this distance.
const number = (value, step) => {
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
const short = value => {
  const size = Math.abs(value);
  return size && (size < 1e-4 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(3)));
};
const roundStep = least => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find(factor => factor * power >= least * (1 - 1e-9));
};
const DAY = 86400;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];

const enliven = figure => {
  const axis = JSON.parse(figure.dataset.axis);
  const panels = [...figure.querySelectorAll(".panel")].map(panel => {
    const line = points(panel.querySelector(".line")), band = panel.querySelector(".band");
    const name = panel.querySelector(".name"), said = document.createElement("output");
    name.append(said);
    const cursor = document.createElement("i");
    cursor.className = "cursor";
    panel.querySelector(".plot").append(cursor);
    const low = Number(panel.dataset.low), high = Number(panel.dataset.high);
    const value = y => {
      const share = 1 - y / HEIGHT;
      return "log" in panel.dataset ? low * (high / low) ** share : low + share * (high - low);
    };
    return { line, band: band && points(band), said, cursor, value };
  });
  const plots = [...figure.querySelectorAll(".panel > .plot:first-of-type, .panel > .plot:nth-of-type(1)")];
  const drawings = [...figure.querySelectorAll("svg")];
  const marks = [...figure.querySelectorAll("[data-x]")];
  const times = [...figure.querySelectorAll(".times")];
  const grids = [...figure.querySelectorAll(".grid")];
  const before = times.map(row => row.innerHTML), lines = grids.map(grid => grid.getAttribute("d"));
  const xs = panels[0].line.xs;
  let [start, end] = [0, WIDTH], chosen = null;

  const position = x => axis.from + x / WIDTH * (axis.to - axis.from);
  const instant = (seconds, fine) => new Date(seconds * 1000).toISOString().replace("T", " ").slice(0, fine ? 23 : 19);
  const when = x => {
    const at = position(x);
    if (axis.kind === "instant") return instant(at, axis.to - axis.from < 60);
    if (axis.kind === "text") return axis.texts[Math.round(at)];
    if (axis.kind === "rank") return "row " + number(Math.round(at) + 1, 1);
    return axis.name + " " + number(at, xs.length > 1 ? (axis.to - axis.from) / (xs.length - 1) : 1);
  };

  // Round places between the ends of what is shown, with their texts.
  const ticks = room => {
    const [from, to] = [position(start), position(end)];
    const most = Math.max(2, Math.floor(room / 110)), least = (to - from) / most;
    let step = roundStep(least);
    if (axis.whole || axis.kind === "text" || axis.kind === "rank") step = Math.max(1, step);
    if (axis.kind === "instant" && least >= 0.5) {
      step = SECONDS.find(seconds => seconds >= least) || DAY * roundStep(Math.max(1, least / DAY));
    }
    const found = [];
    let day = "";
    for (let at = Math.ceil(from / step) * step; at <= to + 1e-9 * step && found.length < 30; at += step) {
      const x = (at - axis.from) / (axis.to - axis.from) * WIDTH;
      if (axis.kind === "instant") {
        const [date, clock] = instant(at, step < 1).split(" ");
        found.push([x, step >= DAY ? date : step >= 60 ? clock.slice(0, 5) : clock, step < DAY && date !== day ? date : ""]);
        day = date;
      } else found.push([x, axis.kind === "number" ? number(at, step) : when(x), ""]);
    }
    return found;
  };

  const show = () => {
    const whole = start === 0 && end === WIDTH;
    const share = x => (x - start) / (end - start) * 100;
    drawings.forEach(svg => svg.setAttribute("viewBox", `${start} 0 ${end - start} ${HEIGHT}`));
    marks.forEach(mark => {
      mark.style.left = share(mark.dataset.x) + "%";
      mark.hidden = mark.dataset.x < start || mark.dataset.x > end;
    });
    const found = whole ? [] : ticks(plots[0].clientWidth);
    grids.forEach((grid, i) => grid.setAttribute("d", whole ? lines[i] : found.map(([x]) => `M${Math.round(x)} 0v${HEIGHT}`).join("")));
    times.forEach((row, i) => {
      if (whole) { row.innerHTML = before[i]; return; }
      const name = row.querySelector("b");
      row.replaceChildren(...found.map(([x, text, date]) => {
        const tick = document.createElement("span");
        tick.style.left = share(x) + "%";
        tick.className = share(x) > 93 ? "last" : "";
        tick.append(text, ...(date ? [document.createElement("br"), date] : []));
        return tick;
      }), name);
    });
    all.disabled = less.disabled = whole;
    point(null);
  };
  const zoom = (from, to) => {
    const length = Math.min(WIDTH, Math.max(WIDTH / 2000, to - from));
    start = Math.max(0, Math.min(WIDTH - length, from));
    end = start + length;
    show();
  };

  // Says what stands at a point of all lines.
  const point = index => {
    chosen = index;
    panels.forEach(({ line, band, said, cursor, value }) => {
      const x = index === null ? NaN : line.xs[index];
      const seen = x >= start && x <= end;
      cursor.style.display = seen ? "block" : "none";
      said.textContent = "";
      if (!seen) return;
      cursor.style.left = (x - start) / (end - start) * 100 + "%";
      const last = line.xs.length - 1;
      said.textContent = band
        ? `${short(value(band.ys[2 * last + 1 - index]))} to ${short(value(band.ys[index]))}`
        : short(value(line.ys[index]));
    });
    where.textContent = index === null ? hint : when(xs[index]);
  };
  const nearest = x => {
    let [low, high] = [0, xs.length - 1];
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (xs[middle] < x) low = middle; else high = middle;
    }
    return x - xs[low] <= xs[high] - x ? low : high;
  };

  const hint = "Drag across a chart to zoom; arrow keys move the cursor.";
  const tools = document.createElement("div");
  tools.className = "tools";
  const button = (text, says, act) => {
    const button = document.createElement("button");
    [button.type, button.textContent, button.title] = ["button", text, says];
    button.setAttribute("aria-label", says);
    button.addEventListener("click", act);
    tools.append(button);
    return button;
  };
  const scale = factor => () => {
    const middle = (start + end) / 2, half = (end - start) / 2 * factor;
    zoom(middle - half, middle + half);
  };
  button("+", "zoom in", scale(0.5));
  const less = button("−", "zoom out", scale(2));
  button("◀", "earlier", () => zoom(start - (end - start) / 2, end - (end - start) / 2));
  button("▶", "later", () => zoom(start + (end - start) / 2, end + (end - start) / 2));
  const all = button("all", "show all", () => zoom(0, WIDTH));
  const where = document.createElement("output");
  tools.append(where);
  figure.prepend(tools);

  const across = (event, plot) => {
    const box = plot.getBoundingClientRect();
    return start + Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * (end - start);
  };
  let drag = null;
  plots.forEach(plot => {
    const chosenPart = document.createElement("i");
    chosenPart.className = "chosen";
    plot.append(chosenPart);
    plot.addEventListener("pointerdown", event => {
      drag = { from: across(event, plot), at: event.clientX };
    });
    plot.addEventListener("pointermove", event => {
      const x = across(event, plot);
      point(nearest(x));
      if (!drag) return;
      const [low, high] = [Math.min(drag.from, x), Math.max(drag.from, x)];
      chosenPart.style.left = (low - start) / (end - start) * 100 + "%";
      chosenPart.style.width = (high - low) / (end - start) * 100 + "%";
    });
    plot.addEventListener("pointerup", event => {
      chosenPart.style.width = "0";
      const x = across(event, plot);
      if (drag && Math.abs(event.clientX - drag.at) > 5) zoom(Math.min(drag.from, x), Math.max(drag.from, x));
      drag = null;
    });
    plot.addEventListener("pointerleave", () => {
      chosenPart.style.width = "0";
      drag = null;
      point(null);
    });
    plot.addEventListener("dblclick", () => zoom(0, WIDTH));
  });
  figure.tabIndex = 0;
  figure.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const from = chosen === null ? nearest((start + end) / 2) : chosen + step;
    point(Math.max(0, Math.min(xs.length - 1, from)));
  });
  // Paper shows everything.
  addEventListener("beforeprint", () => zoom(0, WIDTH));
  show();
};
document.querySelectorAll("figure[data-axis]").forEach(enliven);
