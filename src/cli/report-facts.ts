import { type Configuration, effectiveDocument } from '../config/load.ts';
import { redact } from '../config/redact.ts';
import type { Fact } from '../page/model.ts';
import type { ReplayFile, ReplayInputs } from '../replay/replay.ts';
import { aboutReceval, fileName, hashOf } from './report-file.ts';

/** Files and configuration that a result is of. Names without their folders: a report may be sent to others. */
export function aboutFiles(inputs: ReplayInputs, configuration: Configuration): readonly Fact[] {
  const sides =
    'events' in inputs
      ? [fileFact('events', inputs.events)]
      : [fileFact('impressions', inputs.impressions), fileFact('feedback', inputs.feedback)];
  return [...sides.filter(([, names]) => names !== ''), ...aboutService(configuration)];
}

/** The same without files. */
export function aboutService(configuration: Configuration): readonly Fact[] {
  return [...aboutReceval(), ['configuration', hashOf(redact(effectiveDocument(configuration)))]];
}

function fileFact(side: string, files: readonly ReplayFile[]): Fact {
  const names = files.map(({ path, defaults }) => {
    const pairs = [...defaults].map(([field, value]) => `${field}=${value}`).join(', ');
    return `${fileName(path)}${pairs === '' ? '' : ` with ${pairs}`}`;
  });
  return [side, names.join('; ')];
}
