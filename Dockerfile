# Two images from one file: docker build --target service . / docker build --target worker .
# They run the same commands, with the same gunicorn settings, as `cotag up` and the tests do.
FROM python:3.13-slim AS source
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY tagmodel tagmodel
COPY runtime runtime
COPY cocluster cocluster
COPY snapshot snapshot
COPY worker worker
COPY service service
COPY cotag cotag
COPY demo demo

FROM source AS service-build
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -c constraints.txt '.[service]'

FROM source AS worker-build
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -c constraints.txt '.[worker]'

FROM python:3.13-slim AS base
RUN useradd --system --uid 10001 --home-dir /var/lib/cotag --create-home cotag
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 COTAG_LOG_FORMAT=json
WORKDIR /var/lib/cotag

FROM base AS service
COPY --from=service-build /venv /venv
RUN install -d -o cotag /var/cache/cotag
USER cotag
ENV COTAG_HOST=0.0.0.0 COTAG_PORT=8000
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["cotag", "serve"]

FROM base AS worker
COPY --from=worker-build /venv /venv
ENV NUMBA_CACHE_DIR=/var/cache/numba COTAG_HOST=0.0.0.0
RUN install -d -o cotag /var/cache/numba
USER cotag
# Compile the kernels now, so that no run waits for it.
RUN cotag warm
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["cotag", "ping", "worker"]
CMD ["cotag", "worker"]
