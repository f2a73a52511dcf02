import type { AccessState } from '../connections/access-files.ts';
import { type Exposition, labelText } from './exposition.ts';

/** By setting; without files there are no series. */
export function writeAccess(page: Exposition, states: readonly AccessState[]): void {
  for (const { setting, problem, validity } of states) {
    const labels = labelText({ setting });
    page.series('receval_access_problem')(labels, problem === undefined ? 0 : 1);
    if (validity === undefined) continue;
    page.series('receval_certificate_not_before_timestamp_seconds')(labels, validity.begins.getTime() / 1000);
    page.series('receval_certificate_not_after_timestamp_seconds')(labels, validity.ends.getTime() / 1000);
  }
}
