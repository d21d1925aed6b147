/** @type {import('next').NextConfig} */
export default {
  reactStrictMode: true,
  poweredByHeader: false,
  typedRoutes: true,
  // prom-client keeps its registry in module state: bundled twice, its counters would split in two.
  serverExternalPackages: ['prom-client', 'pino', 'undici'],
  experimental: { optimizePackageImports: ['@mantine/core', '@mantine/hooks', '@tabler/icons-react'] },
};
