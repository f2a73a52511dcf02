import { it } from 'vitest';
import { MachineCannot, ServiceMissing } from './debian.ts';

/** Something outside that a test needs. */
export interface Service<T> {
  readonly name: string;
  /** @throws ServiceMissing if it cannot be had here. */
  readonly get: () => Promise<T>;
}

/**
 * A test that needs a service. Where that cannot be had the test counts as skipped and the reason is printed; with
 * CI=true it fails, unless the machine itself cannot.
 */
export function itWith<T>(
  service: Service<T>,
  name: string,
  test: (found: T) => Promise<void>,
  timeout?: number,
): void {
  it(name, { ...(timeout === undefined ? {} : { timeout }) }, async (context) => {
    const found = await tryToGet(service);
    if (found instanceof ServiceMissing) {
      if (process.env['CI'] === 'true' && !(found instanceof MachineCannot)) throw found;
      process.stderr.write(`skipped "${name}": ${service.name}: ${found.message}\n`);
      context.skip(found.message);
    } else {
      await test(found);
    }
  });
}

export async function tryToGet<T>({ get }: Service<T>): Promise<T | ServiceMissing> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof ServiceMissing) return error;
    throw error;
  }
}
