'use strict';
(() => {
  const root = document.documentElement;
  const canvas = document.getElementById('climb-chart');
  const { load, limits, climbs, capacity } = JSON.parse(document.getElementById('climb').textContent);
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  const STYLES = ['solid', 'dashed', 'dotted', 'dash and dot'];
  const TICKS_MAX = 12;
  const MARGIN = innerWidth < 600 ? 84 : 128;
  let chart = null;

  const curveName = (climb, number) => 'Rung ' + climb.rung + ' is ' + STYLES[number % STYLES.length] +
    (climb.moved ? ', with ' + climb.moved : '') + '.';

  function line(climb, number, axis, label, name, value) {
    return {
      label: label + ' (rung ' + climb.rung + ')', yAxisID: axis, borderColor: colour(name),
      backgroundColor: axis.startsWith('limit') ? colour(name) + '26' : colour(name), pointBackgroundColor: colour(name), borderWidth: 1.8, borderDash: DASHES[number % DASHES.length],
      pointRadius: 3, pointHoverRadius: 5, spanGaps: true, clip: 8,
      fill: axis.startsWith('limit') && number === 0 ? 'origin' : false,
      data: climb.points.map((point) => ({ x: point.load, y: value(point), point })),
    };
  }

  function axis(title, weight, name, more) {
    return {
      type: 'linear', position: 'left', stack: 'panels', stackWeight: weight, beginAtZero: true, offset: true,
      title: { display: true, text: title, color: colour(name) }, afterFit: (scale) => { scale.width = MARGIN; },
      ticks: { color: colour('quiet'), maxTicksLimit: 5 }, grid: { color: colour('line') },
      border: { color: colour('line') }, ...more,
    };
  }

  // One limit is a strip of its own, from empty to full. Its name is in the margin.
  const strip = () => axis('', 0.6, 'counter', {
    min: 0, max: 100, title: { display: false }, ticks: { display: false, stepSize: 100 },
  });

  // The name of a limit, cut to the width of the margin.
  function fitting(ctx, text) {
    let kept = text;
    while (kept.length > 3 && ctx.measureText(kept).width > MARGIN - 14) {
      kept = kept.slice(0, kept.length - 2) + '\u2026';
    }
    return kept;
  }

  // Names two lines that share an axis, at their last points.
  function names(ctx, scales) {
    const points = climbs[0].points.filter((point) => point.p99 !== null);
    const last = points[points.length - 1];
    if (last) {
      ctx.textAlign = 'right';
      for (const [name, value, ink] of [['p99', last.p99, 'doubt'], ['p50', last.p50, 'latency']]) {
        ctx.fillStyle = colour(ink);
        ctx.fillText(name, scales.x.getPixelForValue(last.load) - 10, scales.time.getPixelForValue(value) - 6);
      }
    }
  }

  // The capacity with its interval, over all panels.
  function border(ctx, chartArea, scales) {
    if (!capacity || capacity.perSecond === null) {
      return;
    }
    const low = scales.x.getPixelForValue(capacity.low ?? capacity.perSecond);
    const high = scales.x.getPixelForValue(capacity.high ?? capacity.perSecond);
    ctx.fillStyle = colour('rate') + '40';
    ctx.fillRect(low - 1, chartArea.top, high - low + 2, chartArea.bottom - chartArea.top);
    ctx.fillStyle = colour('rate');
    ctx.textAlign = 'right';
    ctx.fillText('capacity ' + capacity.perSecond.toLocaleString('en') + '/s', low - 6, chartArea.top + 14);
  }

  const flags = {
    id: 'flags',
    afterDraw(drawn) {
      const { ctx, chartArea, scales } = drawn;
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      limits.forEach((limit, i) => {
        const { top, bottom } = scales['limit' + i];
        ctx.textAlign = 'right';
        ctx.fillStyle = colour('counter');
        ctx.fillText(fitting(ctx, limit), chartArea.left - 10, (top + bottom) / 2 - 3);
        const most = Math.max(...climbs.flatMap((climb) => climb.points.map((point) => point.full[i] ?? 0)));
        ctx.fillStyle = colour('quiet');
        const text = most < 100 ? 'up to ' + Math.round(most) + ' %' : 'full';
        ctx.fillText(text, chartArea.left - 10, (top + bottom) / 2 + 12);
      });
      names(ctx, scales);
      border(ctx, chartArea, scales);
      climbs.forEach((climb, number) => climb.points.filter((point) => point.wall).forEach((point) => {
        const x = scales.x.getPixelForValue(point.load);
        ctx.strokeStyle = ctx.fillStyle = colour('counter');
        ctx.setLineDash(DASHES[number % DASHES.length]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top - 4);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        const text = capacity ? point.wall : climb.rung + ' ' + point.wall;
        ctx.textAlign = x > (chartArea.left + chartArea.right) / 2 ? 'right' : 'left';
        ctx.fillText(text, x + (ctx.textAlign === 'right' ? 3 : -3), chartArea.top - 8 - 14 * (number % 3));
      }));
      ctx.restore();
      canvas.dataset.drawn = JSON.stringify(drawn.data.datasets.map((set) => set.data.map(({ x, y }) => [x, y])));
    },
  };

  function draw() {
    const datasets = [];
    const scales = {};
    climbs.forEach((climb, i) => {
      datasets.push(line(climb, i, 'rate', 'answers per second', 'rate', (point) => point.perSecond));
      datasets.push(line(climb, i, 'time', 'p50, ms', 'latency', (point) => point.p50));
      datasets.push(line(climb, i, 'time', 'p99, ms', 'doubt', (point) => point.p99));
      limits.forEach((limit, j) => datasets.push(
        line(climb, i, 'limit' + j, limit + ', %', 'counter', (point) => point.full[j])));
    });
    limits.forEach((limit, j) => { scales['limit' + (limits.length - 1 - j)] = strip(); });
    scales.time = axis('p50 and p99, ms', 2, 'latency', { type: 'logarithmic', beginAtZero: false });
    scales.rate = axis('answers per second', 2.4, 'rate');
    const loads = [...new Set(climbs.flatMap((climb) => climb.points.map((point) => point.load)))];
    loads.sort((a, b) => a - b);
    scales.x = {
      type: 'logarithmic', min: loads[0], max: loads[loads.length - 1],
      title: { display: true, text: load, color: colour('quiet') },
      ...(loads.length > TICKS_MAX ? {}
        : { afterBuildTicks: (scale) => { scale.ticks = loads.map((value) => ({ value })); } }),
      ticks: { color: colour('quiet'), callback: (value) => value.toLocaleString('en') },
      grid: { color: colour('line') }, border: { color: colour('line') },
    };
    if (chart) {
      chart.destroy();
    }
    chart = new Chart(canvas, {
      type: 'line', data: { datasets }, plugins: [flags],
      options: {
        animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
        layout: { padding: { top: 18 + 14 * Math.min(3, climbs.length), right: 14 } },
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        onClick: (event, items) => {
          const rung = items.length ? climbs[Math.floor(items[0].datasetIndex / (3 + limits.length))].rung : 0;
          document.querySelectorAll('#ladder tbody')[rung - 1]?.scrollIntoView({ behavior: 'smooth' });
        },
        scales,
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: { title: (items) => items.length
            ? items[0].raw.x.toLocaleString('en') + ' ' + load : '' } },
        },
      },
    });
  }

  canvas.parentElement.style.height = 440 + 70 * limits.length + 'px';
  if (!capacity) {
    document.querySelector('#climbs p').append(' ' + climbs.map(curveName).join(' '));
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
})();
