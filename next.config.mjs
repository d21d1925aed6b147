/** @type {import('next').NextConfig} */
export default {
  reactStrictMode: true,
  poweredByHeader: false,
  typedRoutes: true,
  // prom-client keeps its registry in module state: bundled twice, its counters would split in two.
  serverExternalPackages: ['prom-client', 'pino', 'undici'],
  // The marker of server modules throws in the layer of pages/api, where the stream endpoints stand. Browser code
  // still meets the throwing one, and the compiler refuses it in client components.
  turbopack: {
    resolveAlias: { 'server-only': { browser: 'server-only', default: './node_modules/server-only/empty.js' } },
  },
  transpilePackages: ['server-only'],
  experimental: { optimizePackageImports: ['@mantine/core', '@mantine/hooks', '@tabler/icons-react'] },
};
