# syntax=docker/dockerfile:1
# Node 24 has long-term support, and SQLite built in.
ARG NODE=24-bookworm-slim

FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# An edit of the source leaves this layer alone.
RUN npm ci --ignore-scripts && npm rebuild @photostructure/sqlite

FROM packages AS build
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY tools tools
COPY demo demo
RUN npm run build && chmod +x dist/src/main.js

FROM packages AS runtime
RUN npm prune --omit=dev --ignore-scripts

FROM runtime AS model
# `--build-arg MODEL=all-MiniLM-L6-v2` bakes the model and its runtime in: 70 MB, and a board that downloads nothing.
ARG MODEL=
COPY --from=build /app/dist dist
RUN mkdir -p /models && if [ -n "$MODEL" ]; then node dist/src/main.js models pull "$MODEL" --dir /models; fi

FROM node:${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data MODEL_DIR=/models MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
RUN mkdir /data && chown node:node /data && ln -s /app/dist/src/main.js /usr/local/bin/agent-board
COPY --from=runtime /app/node_modules node_modules
COPY --from=model /models /models
COPY package.json llms.txt ./
COPY docs docs
COPY demo/conferences.jsonl demo/
COPY --from=build /app/dist dist
USER node
VOLUME /data
# Where a command puts a file without a folder, such as a backup.
WORKDIR /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["agent-board", "healthcheck"]
CMD ["agent-board", "serve"]
