'use strict';
(() => {
  const root = document.documentElement;
  root.dataset.errors = '0';
  addEventListener('error', (event) => {
    root.dataset.errors = String(Number(root.dataset.errors) + 1);
    root.dataset.error = event.message;
  });

  const run = JSON.parse(document.getElementById('run').textContent);
  const canvas = document.getElementById('chart');
  if (!canvas) {
    return;
  }
  const trialChoice = document.getElementById('trial');
  const counterChoice = document.getElementById('counter');
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  let chart = null;

  // A gap between two trials, as a share of all their time.
  const GAP = 0.004;

  function option(select, value, text) {
    const element = document.createElement('option');
    element.value = value;
    element.textContent = text;
    select.append(element);
  }

  function chosenTrials() {
    const value = trialChoice.value;
    return value === 'climb' ? run.climb : [Number(value)];
  }

  // One axis of time: the trials stand end to end.
  function layout(indices) {
    const total = indices.reduce((sum, i) => sum + length(run.trials[i]), 0);
    let start = 0;
    return indices.map((i) => {
      const part = { trial: run.trials[i], start };
      start += length(run.trials[i]) + total * GAP;
      return part;
    });
  }

  function length(trial) {
    return Math.max(trial.seconds || 0, trial.t.length ? trial.t[trial.t.length - 1] : 0);
  }

  function points(parts, values, stepped, instants = (trial) => trial.t) {
    const all = [];
    for (const part of parts) {
      const row = values(part.trial) || [];
      // A step holds for the interval that ends at its time, so the first begins at the start.
      if (stepped && row.length) {
        all.push({ x: part.start, y: row[0], part, t: 0 });
      }
      instants(part.trial).forEach((t, i) => all.push({ x: part.start + t, y: row[i] ?? null, part, t }));
      all.push({ x: part.start + length(part.trial), y: null, part, t: length(part.trial) });
    }
    return all;
  }

  // Kinds of failures or events of the parts, each once.
  function kinds(parts, of) {
    return [...new Set(parts.flatMap((part) => Object.keys(of(part.trial))))];
  }

  // Kinds of failures differ by their colours and by their dashes.
  const FAILURES = [['counter', []], ['latency', [6, 3]], ['doubt', [2, 3]], ['quiet', [8, 3, 2, 3]]];

  function failures(parts) {
    return kinds(parts, (trial) => trial.failures).map((kind, i) => {
      const [name, dash] = FAILURES[i % FAILURES.length];
      const drawn = line(kind + ' a second', 'failed',
        points(parts, (trial) => trial.failures[kind] || trial.t.map(() => 0), true), name, 'after');
      return { ...drawn, borderDash: dash };
    });
  }

  // A mark in the middle of its interval; the first kind is at the top.
  function events(parts, names) {
    const all = [];
    for (const part of parts) {
      for (const [name, marks] of Object.entries(part.trial.events)) {
        for (const [i, count] of marks) {
          const from = i > 0 ? part.trial.t[i - 1] : 0;
          all.push({ x: part.start + (from + part.trial.t[i]) / 2, y: names.length - names.indexOf(name),
            part, t: part.trial.t[i], count, name });
        }
      }
    }
    all.sort((a, b) => a.x - b.x);
    return { label: 'events', data: all, yAxisID: 'events', showLine: false, pointStyle: 'rect',
      pointRadius: (context) => context.raw ? Math.min(7, 2.5 + Math.log10(context.raw.count)) : 3,
      backgroundColor: colour('counter'), borderColor: colour('counter') };
  }

  function eventAxis(names) {
    return {
      ...axis('events', Math.max(0.5, 0.32 * names.length), 'counter'),
      min: 0.4, max: names.length + 0.6, beginAtZero: false,
      afterBuildTicks: (scale) => { scale.ticks = names.map((_name, i) => ({ value: i + 1 })); },
      ticks: { color: colour('quiet'), autoSkip: false, mirror: true, labelOffset: -8, z: 1,
        callback: (value) => names[names.length - value] },
    };
  }

  // Between two intervals without answers a line has no length: such a point is drawn as a dot.
  function alone(context) {
    const data = context.dataset.data;
    const i = context.dataIndex;
    if (context.dataset.stepped) {
      return 0;
    }
    const empty = (j) => !data[j] || data[j].y === null;
    return empty(i - 1) && empty(i + 1) ? 2.5 : 0;
  }

  function line(label, axis, data, name, stepped) {
    return {
      label, data, yAxisID: axis, borderColor: colour(name), backgroundColor: colour(name),
      borderWidth: 1.6, pointRadius: alone, pointHoverRadius: 4, stepped, spanGaps: false, clip: 6,
    };
  }

  // The response times: percentiles, or only the mean of a run that did not count them by time.
  function responses(parts, timed) {
    if (!timed) {
      return [line('mean response, ms', 'latency', points(parts, (t) => t.latency, false), 'latency', false)];
    }
    const instants = (trial) => trial.times ? trial.times.t : [];
    const of = (name) => points(parts, (trial) => trial.times ? trial.times[name] : [], true, instants);
    return [
      line('p99, ms', 'latency', of('p99'), 'latency', 'after'),
      line('p50, ms', 'latency', of('p50'), 'text', 'after'),
    ];
  }

  function responseAxis(parts) {
    const timed = parts.map((part) => part.trial.times).filter((times) => times);
    if (!timed.length) {
      return axis('mean response, ms', 2, 'latency');
    }
    const whole = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
    return {
      ...axis('response time, ms', 2.6, 'latency'), type: 'logarithmic', beginAtZero: false,
      min: Math.min(...timed.map((times) => times.edges[0])),
      max: Math.max(...timed.map((times) => times.edges[times.edges.length - 1])),
      afterBuildTicks: (scale) => {
        const decades = scale.ticks.filter((tick) => whole(tick.value));
        scale.ticks = decades.length > 1 ? decades : timed[0].edges.map((value) => ({ value }));
      },
      ticks: { color: colour('quiet'), callback: (value) => String(Number(value.toPrecision(2))) },
    };
  }

  // By the digit of a cell.
  const DARKNESS = [0, 0.12, 0.3, 0.5, 0.75, 1];

  const heat = {
    id: 'heat',
    beforeDatasetsDraw(drawn, _arguments, options) {
      const { ctx, scales } = drawn;
      let count = 0;
      ctx.save();
      ctx.fillStyle = colour('rate');
      for (const part of options.parts().filter((each) => each.trial.times)) {
        const { t, edges, cells } = part.trial.times;
        cells.forEach((column, i) => {
          const from = scales.x.getPixelForValue(part.start + (i > 0 ? t[i - 1] : 0));
          const to = scales.x.getPixelForValue(part.start + t[i]);
          [...column].forEach((digit, row) => {
            if (digit !== '0') {
              const top = scales.latency.getPixelForValue(edges[row + 1]);
              ctx.globalAlpha = DARKNESS[digit];
              ctx.fillRect(from, top, to - from, scales.latency.getPixelForValue(edges[row]) - top);
              count++;
            }
          });
        });
      }
      ctx.restore();
      canvas.dataset.cells = String(count);
    },
  };

  function axis(title, weight, name) {
    return {
      type: 'linear', position: 'left', stack: 'panels', stackWeight: weight, beginAtZero: true,
      offset: true, title: { display: true, text: title, color: colour(name) },
      afterFit: (scale) => { scale.width = 74; },
      ticks: { color: colour('quiet'), maxTicksLimit: 5 }, grid: { color: colour('line') },
      border: { color: colour('line') },
    };
  }

  const boundaries = {
    id: 'boundaries',
    afterDraw(drawn, _arguments, options) {
      const { ctx, chartArea, scales } = drawn;
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      ctx.fillStyle = colour('quiet');
      ctx.strokeStyle = colour('quiet');
      ctx.setLineDash([3, 3]);
      for (const part of options.parts()) {
        const from = scales.x.getPixelForValue(part.start);
        const to = scales.x.getPixelForValue(part.start + length(part.trial));
        ctx.globalAlpha = 0.6;
        ctx.beginPath();
        ctx.moveTo(from, chartArea.top);
        ctx.lineTo(from, chartArea.bottom);
        ctx.stroke();
        ctx.globalAlpha = 1;
        const text = fitting(ctx, shortName(part.trial.name), to - from - 6);
        ctx.fillText(text, from + 4, chartArea.top - 7);
      }
      ctx.restore();
      canvas.dataset.drawn = String(drawn.data.datasets.reduce(
        (sum, set) => sum + set.data.filter((point) => point.y !== null).length, 0));
    },
  };

  function fitting(ctx, text, width) {
    if (ctx.measureText(text).width <= width) {
      return text;
    }
    for (let kept = text.length - 1; kept > 2; kept--) {
      const cut = text.slice(0, kept) + '\u2026';
      if (ctx.measureText(cut).width <= width) {
        return cut;
      }
    }
    return '';
  }

  // Of the climb's trials the connections are enough: the choice above shows the rest.
  function shortName(name) {
    return name.replace(/^climb-\d+-connections-/, '');
  }

  // The axis is as long as its panel is high; the choice above shows the whole name.
  function shortened(label) {
    const name = label.slice(label.indexOf(':') + 1);
    return name.length > 24 ? 'counter' : name.replace(/^TcpExt\./, '');
  }

  function draw() {
    const parts = layout(chosenTrials());
    const index = counterChoice.value === '' ? -1 : Number(counterChoice.value);
    const counter = run.counters[index];
    const datasets = [];
    const scales = {};
    // Nobody counts the answers of a service that is only watched.
    const answered = parts.some((part) => part.trial.rate.some((rate) => rate !== null));
    const timed = parts.some((part) => part.trial.times);
    if (answered) {
      datasets.push(
        line('answers per second', 'rate', points(parts, (t) => t.rate, true), 'rate', 'after'),
        ...responses(parts, timed));
    }
    if (counter) {
      const data = points(parts, (t) => t.counters[index], true);
      const unit = counter.perSecond ? ' a second' : '';
      datasets.push(line(counter.label + unit, 'counter', data, 'counter', 'after'));
      scales.counter = axis(shortened(counter.label) + unit, 2, 'counter');
    }
    const failed = failures(parts);
    if (failed.length) {
      datasets.push(...failed);
      scales.failed = axis('failed a second', 1.4, 'counter');
    }
    const names = kinds(parts, (trial) => trial.events);
    if (names.length) {
      datasets.push(events(parts, names));
      scales.events = eventAxis(names);
    }
    if (answered) {
      scales.latency = responseAxis(parts);
      scales.rate = axis('answers per second', 2, 'rate');
    }
    const last = parts[parts.length - 1];
    scales.x = {
      type: 'linear', min: 0, max: last ? last.start + length(last.trial) : 1,
      title: { display: true, color: colour('quiet'),
        text: parts.length > 1 ? 'seconds, trials end to end' : 'seconds' },
      ticks: { color: colour('quiet'), includeBounds: parts.length === 1 }, grid: { display: false },
      border: { color: colour('line') },
    };
    if (chart) {
      chart.destroy();
    }
    chart = new Chart(canvas, {
      type: 'line',
      data: { datasets },
      plugins: timed ? [heat, boundaries] : [boundaries],
      options: {
        animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
        layout: { padding: { top: 24, right: 8 } },
        interaction: { mode: 'x', intersect: false },
        scales,
        plugins: {
          heat: { parts: () => parts },
          boundaries: { parts: () => parts },
          legend: { display: timed || failed.length > 0, position: 'bottom',
            labels: { color: colour('quiet'), usePointStyle: true, pointStyle: 'line',
              filter: (item, data) => ['failed', ...(timed ? ['latency'] : [])]
                .includes(data.datasets[item.datasetIndex].yAxisID) } },
          tooltip: { callbacks: {
            label: (item) => item.raw.name ? item.raw.count + ' ' + item.raw.name : undefined,
            title: (items) => items.length
            ? items[0].raw.part.trial.name + ', at ' + items[0].raw.t + ' s' : '' } },
        },
      },
    });
  }

  function counterOf(indices) {
    const found = indices.map((i) => run.trials[i].cited).find((cited) => cited !== null);
    return found ?? (run.counters.length ? 0 : '');
  }

  if (run.climb.length > 1) {
    const climbOnly = run.climb.length < run.trials.length;
    option(trialChoice, 'climb', climbOnly ? 'the climb' : 'all');
  }
  run.trials.forEach((trial, i) =>
    option(trialChoice, i, trial.name + (trial.wall ? ' (' + trial.wall + ')' : '')));
  run.counters.forEach((counter, i) => option(counterChoice, i, counter.label));
  counterChoice.parentElement.hidden = run.counters.length === 0;
  counterChoice.value = run.climb.length > 1 && run.counters.length ? 0 : counterOf(chosenTrials());
  trialChoice.addEventListener('change', () => {
    counterChoice.value = trialChoice.value === 'climb' ? 0 : counterOf(chosenTrials());
    draw();
  });
  counterChoice.addEventListener('change', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
})();
