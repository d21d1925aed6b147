/** @type {import('next').NextConfig} */
const config = {
  reactStrictMode: true,
  poweredByHeader: false,
  typedRoutes: true,
  // Types are checked by `npm run check`, so the build of the first start does not check them again.
  typescript: { ignoreBuildErrors: true },
  // Turns off Next's image optimizer, a route that fetches any local address given to it. No image here needs it.
  images: { unoptimized: true },
  // prom-client keeps its registry in module state. If it were bundled twice, its counters would be split.
  serverExternalPackages: ['prom-client', 'pino', 'undici', '@duckdb/node-api', 'pg'],
  // If zod is not bundled, importing it opens about a hundred files. If descriptors run out at that moment,
  // the streams never recover.
  bundlePagesRouterDependencies: true,
  // `server-only` must be bundled. Otherwise it throws in pages/api, where the streams are.
  transpilePackages: ['server-only'],
  experimental: { optimizePackageImports: ['@mantine/core', '@mantine/hooks'] },
};

export default config;
