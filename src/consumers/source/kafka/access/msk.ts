import { KafkaLoginError } from './faults.ts';

const SIGNER = 'aws-msk-iam-sasl-signer-js';

/**
 * Tokens of Amazon MSK for the AWS identity of this process, created for each connection because they expire after 15 minutes.
 * Amazon's library that signs them is loaded on demand, as few need it. `load` imports a package by name.
 */
export function mskToken(
  region: string,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): () => Promise<string> {
  return async () => {
    let generate: unknown;
    try {
      const signer = await load(SIGNER);
      generate = typeof signer === 'object' && signer !== null ? Reflect.get(signer, 'generateAuthToken') : undefined;
    } catch {
      generate = undefined;
    }
    if (typeof generate !== 'function') {
      throw new KafkaLoginError(
        `the mechanism msk-iam needs the package ${SIGNER}, which cannot be loaded`,
        `install it beside receval: npm install ${SIGNER}`,
      );
    }
    let made: unknown;
    try {
      made = await Reflect.apply(generate, undefined, [{ region }]);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown';
      throw new KafkaLoginError(
        `AWS gives no credentials for msk-iam (${reason})`,
        'give this process a role (IRSA, instance or task role), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      );
    }
    const token: unknown = typeof made === 'object' && made !== null ? Reflect.get(made, 'token') : undefined;
    if (typeof token === 'string') return token;
    throw new KafkaLoginError(`${SIGNER} gave no token`, 'use version 1 of it');
  };
}
