/* Keeps the page as new as its server: asks for the page again, and changes what differs. Nothing else is asked for or stored. */
const EVERY_MS = 2000;
const LONGEST_MS = 30_000;
const PATIENCE_MS = 10_000;

/** What the reader has set, or the browser: a newer page does not change it. */
const KEPT = new Set(['open', 'checked']);

/** Part of the page is older than the rest, as somebody reads in it. */
let isHeld = false;

/** Makes `old` like `next`, keeping every element that may stay, so that focus, place and choices stay. */
function follow(old, next) {
  if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName || old.id !== next.id) {
    old.replaceWith(next);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
    return;
  }
  // Who reads in it is not disturbed.
  if (old.hasAttribute('data-hold') && old.querySelector('.one-list[open]') !== null) {
    isHeld = true;
    return;
  }
  for (const { name } of [...old.attributes])
    if (!next.hasAttribute(name) && !KEPT.has(name)) old.removeAttribute(name);
  for (const { name, value } of [...next.attributes])
    if (old.getAttribute(name) !== value && !KEPT.has(name)) old.setAttribute(name, value);
  if (old.type === 'search' && old !== document.activeElement) old.value = next.value;
  followChildren(old, next);
}

/** Elements with an id are found by it, wherever they stand; others in their order, by what they are. */
function followChildren(old, next) {
  const wanted = new Set([...next.childNodes].map(({ id }) => id).filter(Boolean));
  for (const child of [...old.childNodes]) if (child.id && !wanted.has(child.id)) child.remove();
  let place = old.firstChild;
  for (const child of [...next.childNodes]) {
    const found = child.id ? [...old.children].find(({ id }) => id === child.id) : nextLike(place, child);
    if (found === undefined) {
      old.insertBefore(child, place);
      continue;
    }
    // What stands between is older than the page, but for what has an id and comes later.
    while (place !== found && place !== null && !place.id) {
      const gone = place;
      place = place.nextSibling;
      gone.remove();
    }
    if (place === found) place = place.nextSibling;
    else old.insertBefore(found, place);
    follow(found, child);
  }
  while (place !== null) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

/** From `place` on, up to one with an id; undefined: there is none. */
function nextLike(place, { nodeType, nodeName }) {
  for (let node = place; node !== null && !node.id; node = node.nextSibling) {
    if (node.nodeType === nodeType && node.nodeName === nodeName) return node;
  }
  return undefined;
}

const TYPING_MS = 250;

function keepFresh(status) {
  let etag = '';
  let wait = EVERY_MS;
  let failedSince;
  let timer;
  let looks = 0;
  const show = (text, isBad) => {
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle('bad', isBad);
  };
  const look = async () => {
    clearTimeout(timer);
    const mine = ++looks;
    try {
      const answer = await fetch(`/${location.search}`, {
        headers: etag === '' ? {} : { 'If-None-Match': etag },
        cache: 'no-store',
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      // Something else was chosen meanwhile.
      if (mine !== looks) return;
      if (answer.status === 401) {
        location.reload();
        return;
      }
      if (answer.status === 200) {
        const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
        if (mine !== looks) return;
        isHeld = false;
        follow(document.querySelector('main'), next.querySelector('main'));
        follow(document.querySelector('.top nav'), next.querySelector('.top nav'));
        follow(document.querySelector('.top .switch'), next.querySelector('.top .switch'));
        const { theme } = next.documentElement.dataset;
        if (theme === undefined) delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = theme;
        document.title = next.title;
        etag = isHeld ? '' : (answer.headers.get('ETag') ?? '');
      } else if (answer.status !== 304) throw new Error(`status ${answer.status}`);
      failedSince = undefined;
      wait = EVERY_MS;
      show(`live, as of ${document.querySelector('main').dataset.now}`, false);
    } catch {
      if (mine !== looks) return;
      failedSince ??= Date.now();
      const seconds = Math.round((Date.now() - failedSince) / 1000);
      const then = document.querySelector('main').dataset.now;
      show(
        `receval does not answer${seconds > 0 ? ` since ${seconds} s` : ''}: these are the numbers of ${then}. Trying again.`,
        true,
      );
      wait = Math.min(LONGEST_MS, wait * 1.5);
    }
    timer = document.hidden ? undefined : setTimeout(look, wait);
  };
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden) look();
  });
  timer = setTimeout(look, EVERY_MS);
  return look;
}

/** Choices stand in the address: they are followed without leaving the page. */
function keepChoices(look) {
  document.addEventListener('click', async (event) => {
    const link = event.target.closest?.('a[data-view]');
    if (link === null || link === undefined || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // It was asked for where somebody reads: then that may change.
    for (const one of link.closest('[data-hold]')?.querySelectorAll('.one-list[open]') ?? []) one.open = false;
    history.pushState(null, '', link.href);
    await look();
    if (link.hash !== '') document.querySelector(link.hash)?.scrollIntoView({ block: 'nearest' });
  });
  addEventListener('popstate', () => look());
  const find = (form) => {
    const asked = [...new FormData(form)].filter(([, value]) => value !== '');
    history.replaceState(null, '', `?${new URLSearchParams(asked)}`);
    look();
  };
  let typing;
  document.addEventListener('input', ({ target }) => {
    const form = target.closest('form[data-view]');
    if (form === null) return;
    clearTimeout(typing);
    typing = setTimeout(find, TYPING_MS, form);
  });
  document.addEventListener('submit', (event) => {
    if (!event.target.matches('form[data-view]')) return;
    event.preventDefault();
    clearTimeout(typing);
    find(event.target);
  });
}

function logIn(form) {
  const button = form.querySelector('button');
  button.disabled = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = form.querySelector('input').value.trim();
    const refused = document.getElementById('refused');
    try {
      const answer = await fetch('/api/v1/session', {
        headers: { Authorization: `Bearer ${token}` },
        cache: 'no-store',
      });
      if (answer.ok) location.reload();
      else refused.textContent = 'This is not the token.';
    } catch {
      refused.textContent = 'receval does not answer. Try again.';
    }
  });
}

function logOut(button) {
  button.disabled = false;
  button.addEventListener('click', async () => {
    await fetch('/api/v1/session', { method: 'DELETE' });
    location.reload();
  });
}

const status = document.getElementById('live');
const leave = document.getElementById('log-out');
if (leave !== null) logOut(leave);
const form = document.getElementById('log-in');
if (form !== null) logIn(form);
if (status !== null) {
  keepChoices(keepFresh(status));
}
