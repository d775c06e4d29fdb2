# The command in a small image. `docker run -i polyfs /workspace` serves standard input and output; without arguments it serves HTTP.
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node build/build.mjs

FROM node:22-slim
LABEL org.opencontainers.image.title="polyfs" \
      org.opencontainers.image.description="File tools for AI agents, as an MCP server" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    POLYFS_STATE_DIR=/home/node/state
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/dist/THIRD-PARTY-LICENSES.txt ./dist/
COPY --from=build /build/dist/node ./dist/node
COPY --from=build /build/dist/chunks ./dist/chunks
COPY docker/health.mjs ./health.mjs
RUN mkdir -p /workspace /home/node/state && chown node:node /workspace /home/node/state
USER node
WORKDIR /workspace
EXPOSE 7373
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 CMD ["node", "/app/health.mjs"]
ENTRYPOINT ["node", "/app/dist/node/cli.js"]
CMD ["--http", "0.0.0.0:7373", "/workspace"]
