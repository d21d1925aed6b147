/** @type {import('next').NextConfig} */
const config = {
  reactStrictMode: true,
  poweredByHeader: false,
  typedRoutes: true,
  // `npm run check` looks at the types: whoever waits for the first start need not wait for that too.
  typescript: { ignoreBuildErrors: true },
  // Without it Next has a route that fetches pictures from itself by an address in a parameter. We have none to shrink.
  images: { unoptimized: true },
  // prom-client keeps its registry in module state: bundled twice, its counters would split in two.
  serverExternalPackages: ['prom-client', 'pino', 'undici', '@duckdb/node-api', 'pg'],
  // Loaded as it is, zod opens a hundred files at once: with few descriptors left the streams would fail for good.
  bundlePagesRouterDependencies: true,
  // The marker of server modules must be bundled: loaded as it is, it throws in pages/api, where the streams stand.
  transpilePackages: ['server-only'],
  experimental: { optimizePackageImports: ['@mantine/core', '@mantine/hooks'] },
};

export default config;
