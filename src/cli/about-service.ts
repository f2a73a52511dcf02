import { type Configuration, effectiveDocument } from '../config/load.ts';
import { redact } from '../config/redact.ts';
import type { Fact } from '../page/model.ts';
import { aboutReceval, hashOf } from './report-file.ts';

/** What a report says at its end of a service, which reads no files: the version, and a hash of the configuration. */
export function aboutService(configuration: Configuration): readonly Fact[] {
  return [...aboutReceval(), ['configuration', hashOf(redact(effectiveDocument(configuration)))]];
}
