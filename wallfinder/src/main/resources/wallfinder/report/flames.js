'use strict';
(() => {
  const ROW = 18;
  // Narrower boxes cannot be seen or clicked.
  const WIDTH_MIN = 1;
  const flames = JSON.parse(document.getElementById('flames').textContent);

  // Each box with its place: a call begins where its caller begins, after the calls before it.
  function placed(rows) {
    const boxes = [];
    const ends = [0];
    for (const [depth, name, share] of rows) {
      const start = ends[depth] ?? 0;
      boxes.push({ depth, name, share, start });
      ends.length = depth + 1;
      ends[depth] = start + share;
      ends.push(start);
    }
    return boxes;
  }

  // The same name has the same colour, and the names of a package are alike.
  function colour(name) {
    const group = name.split('.').slice(0, 2).join('.');
    let hash = 0;
    for (const character of group) {
      hash = (hash * 31 + character.codePointAt(0)) % 360;
    }
    return 'hsl(' + hash + ' var(--flame))';
  }

  const percent = (share) => (100 * share).toFixed(1) + ' %';

  function draw(figure) {
    const { boxes: rows, changed } = flames[Number(figure.dataset.flame)];
    const boxes = placed(rows);
    const canvas = figure.querySelector('.boxes');
    const search = figure.querySelector('input');
    const found = figure.querySelector('output');
    const back = figure.querySelector('button');
    const end = Math.max(...boxes.map((box) => box.start + box.share));
    let chosen = null;

    function shown(box) {
      return !chosen || (box.start < chosen.start + chosen.share && box.start + box.share > chosen.start);
    }

    function matches(box) {
      return search.value !== '' && box.name.toLowerCase().includes(search.value.toLowerCase());
    }

    // In the graph of a change only methods with a proven difference have a colour.
    function difference(box) {
      if (!changed) {
        return '';
      }
      const [before, after] = changed[box.name] ?? [0, 0];
      return after === before ? ' same' : after > before ? ' more' : ' less';
    }

    // For eyes that do not see the colours.
    const sign = (box) => ({ ' more': '+ ', ' less': '- ' })[difference(box)] ?? '';

    function moved(box) {
      const times = changed?.[box.name];
      return times ? '; the method itself took ' + times.map((us) => us.toFixed(1) + ' us').join(', now ') : '';
    }

    function element(box, from, width) {
      const left = Math.max(0, (box.start - from) / width);
      const right = Math.min(1, (box.start + box.share - from) / width);
      if ((right - left) * canvas.clientWidth < WIDTH_MIN) {
        return null;
      }
      const drawn = document.createElement('div');
      drawn.className = matches(box) ? 'box match' : 'box' + difference(box);
      drawn.style.left = 100 * left + '%';
      drawn.style.width = 100 * (right - left) + '%';
      drawn.style.top = ROW * box.depth + 'px';
      drawn.style.background = matches(box) || changed ? '' : colour(box.name);
      drawn.textContent = sign(box) + box.name.split('.').slice(-2).join('.');
      drawn.title = box.name + ': ' + percent(box.share) + moved(box);
      drawn.addEventListener('click', () => {
        chosen = box;
        redraw();
      });
      return drawn;
    }

    // The time of all matches: a call within a match counts once.
    function matched() {
      let share = 0;
      let until = -1;
      for (const box of boxes) {
        if (matches(box) && box.start >= until - 1e-12) {
          share += box.share;
          until = box.start + box.share;
        }
      }
      return share;
    }

    function redraw() {
      const from = chosen ? chosen.start : 0;
      const width = chosen ? chosen.share : end;
      const elements = boxes.filter(shown).map((box) => element(box, from, width));
      canvas.replaceChildren(...elements.filter((drawn) => drawn !== null));
      const deepest = Math.max(...boxes.filter(shown).map((box) => box.depth));
      canvas.style.height = ROW * (deepest + 1) + 'px';
      canvas.dataset.drawn = String(canvas.childElementCount);
      back.hidden = chosen === null;
      found.textContent = search.value === '' ? '' : percent(matched()) + ' of the CPU time';
    }

    search.addEventListener('input', redraw);
    back.addEventListener('click', () => {
      chosen = null;
      redraw();
    });
    addEventListener('resize', redraw);
    redraw();
  }

  document.querySelectorAll('[data-flame]').forEach(draw);
})();
