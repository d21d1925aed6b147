# check=error=true
# Version and digest change together: docker buildx imagetools inspect node:24.21.0-bookworm-slim prints the digest.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --include=dev --no-audit --no-fund
COPY . .
RUN npm run release && rm release/*.tar.gz && mv release/keeperscope-* /keeperscope

FROM ${NODE_IMAGE}
# Two arenas of the C library: the threads of the index would each keep memory of their own.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=2
RUN install -d -o node -g node -m 0700 /data
COPY --from=build /keeperscope /app
WORKDIR /app
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "scripts/start.mjs"]
