'use strict';
(() => {
  const root = document.documentElement;
  const canvas = document.getElementById('climb-chart');
  const [limits, climbs] = JSON.parse(document.getElementById('climb').textContent);
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  let chart = null;

  const curveName = (climb) => 'rung ' + climb.rung + (climb.moved ? ', with ' + climb.moved : '');

  function line(climb, number, axis, label, name, value) {
    return {
      label: label + ' (rung ' + climb.rung + ')', yAxisID: axis, borderColor: colour(name),
      backgroundColor: colour(name), borderWidth: 1.8, borderDash: DASHES[number % DASHES.length],
      pointRadius: 3, pointHoverRadius: 5, spanGaps: true, clip: 8,
      data: climb.points.map((point) => ({ x: point.connections, y: value(point), point })),
    };
  }

  function axis(title, weight, name, more) {
    return {
      type: 'linear', position: 'left', stack: 'panels', stackWeight: weight, beginAtZero: true, offset: true,
      title: { display: true, text: title, color: colour(name) }, afterFit: (scale) => { scale.width = 84; },
      ticks: { color: colour('quiet'), maxTicksLimit: 5 }, grid: { color: colour('line') },
      border: { color: colour('line') }, ...more,
    };
  }

  // One limit is a strip of its own. Its name stands inside, because the strip is low.
  const strip = () => axis('', 0.55, 'counter', {
    min: 0, max: 100, title: { display: false },
    ticks: { color: colour('quiet'), stepSize: 50, callback: (value) => value + ' %' },
  });

  const flags = {
    id: 'flags',
    afterDraw(drawn) {
      const { ctx, chartArea, scales } = drawn;
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      limits.forEach((limit, i) => {
        ctx.fillStyle = colour('quiet');
        ctx.fillText(limit, chartArea.left + 6, scales['limit' + i].top + 13);
      });
      climbs.forEach((climb, number) => climb.points.filter((point) => point.wall).forEach((point) => {
        const x = scales.x.getPixelForValue(point.connections);
        ctx.strokeStyle = ctx.fillStyle = colour('counter');
        ctx.setLineDash(DASHES[number % DASHES.length]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top - 4);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        const text = climb.rung + ' ' + point.wall;
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
    const loads = [...new Set(climbs.flatMap((climb) => climb.points.map((point) => point.connections)))];
    loads.sort((a, b) => a - b);
    scales.x = {
      type: 'logarithmic', min: loads[0], max: loads[loads.length - 1],
      title: { display: true, text: 'connections', color: colour('quiet') },
      afterBuildTicks: (scale) => { scale.ticks = loads.map((value) => ({ value })); },
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
            ? items[0].raw.x.toLocaleString('en') + ' connections' : '' } },
        },
      },
    });
  }

  canvas.parentElement.style.height = 420 + 62 * limits.length + 'px';
  document.querySelector('#climbs p').append(' ' + climbs.map(curveName).join('; ') + '.');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
})();
