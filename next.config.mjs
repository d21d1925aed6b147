import { PHASE_DEVELOPMENT_SERVER } from 'next/constants.js';

/** What Next takes for pages by itself; `page.gallery.tsx` is none of them. */
const PAGES = ['tsx', 'ts', 'jsx', 'js'];

/**
 * @param {string} phase the gallery of components exists while developing; no build has it, whatever its environment
 * @returns {import('next').NextConfig}
 */
export default function config(phase) {
  return {
    reactStrictMode: true,
    poweredByHeader: false,
    typedRoutes: true,
    pageExtensions: phase === PHASE_DEVELOPMENT_SERVER ? ['gallery.tsx', ...PAGES] : PAGES,
    // Without it Next has a route that fetches pictures from itself by an address in a parameter. We have none to shrink.
    images: { unoptimized: true },
    // prom-client keeps its registry in module state: bundled twice, its counters would split in two.
    serverExternalPackages: ['prom-client', 'pino', 'undici'],
    // The marker of server modules must be bundled: loaded as it is, it throws in pages/api, where the streams stand.
    transpilePackages: ['server-only'],
    experimental: { optimizePackageImports: ['@mantine/core', '@mantine/hooks', '@tabler/icons-react'] },
  };
}
