import type { Settings } from '../config/settings.ts';

/**
 * The demo has no days of past, and its regression comes after a minute and a half. So it watches each variant in blocks
 * of one pane, against the 24 blocks of a while ago: it has an opinion after 36 panes.
 */
export function withQuickDetection(settings: Settings): Settings {
  const byVariant = settings.cohorts.filter((set) => set.join() === 'variant');
  const sets = byVariant.length === 0 ? settings.detect.sets : byVariant;
  return { ...settings, detect: { ...settings.detect, sets, step: settings.paneSize.ms } };
}
