import { type Configuration, effectiveDocument } from '../config/load.ts';
import { redact } from '../config/redact.ts';
import type { Fact } from '../page/model.ts';
import { aboutReceval, hashOf } from './report-file.ts';

/** The facts at the end of a report of a service: the version, and a hash of the configuration. */
export function aboutService(configuration: Configuration): readonly Fact[] {
  return [...aboutReceval(), ['configuration', hashOf(redact(effectiveDocument(configuration)))]];
}
