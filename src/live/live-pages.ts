import { readFileSync } from 'node:fs';
import { renderLogIn } from '../page/live-page.tsx';
import { STYLE } from '../page/style.ts';
import type { LivePages } from '../server/routes.ts';
import type { LivePage } from './live.ts';

/** The live page as it is served. Its script is a separate file, so that the page's policy can forbid all others. */
export function pagesOf(live: LivePage): LivePages {
  return {
    html: (query) => live.html(query),
    cohorts: (query) => live.cohorts(query),
    state: () => live.state(),
    report: (query) => live.report(query),
    lists: live.hasLists ? () => live.lists() : undefined,
    logIn: renderLogIn(),
    script: readFileSync(new URL('../page/live.js', import.meta.url), 'utf8'),
    style: STYLE,
  };
}
