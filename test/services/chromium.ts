import { type Browser, chromium } from 'playwright-core';
import { debianProgram } from './debian.ts';
import type { Service } from './it-with.ts';

/** The browser of this system, else Debian's. */
export const CHROMIUM: Service<string> = {
  name: 'chromium',
  get: () => debianProgram({ command: 'chromium', debianPackage: 'chromium', file: 'usr/lib/chromium/chromium' }),
};

/** Its sandbox needs rights that containers do not give; it opens pages of ours alone. */
export function startBrowser(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'], timeout: 300_000 });
}
