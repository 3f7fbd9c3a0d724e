# One image for every worker: `adcat worker NAME`. Kafka, PostgreSQL and the object store are services of their own.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

# Exact versions first: this layer changes only with the lock.
COPY requirements.lock ./
RUN pip install -r requirements.lock

COPY pyproject.toml README.md ./
COPY adcat adcat
COPY topics topics
COPY avro avro
COPY streams streams
COPY control control
COPY serving_grpc serving_grpc
COPY replay replay
RUN pip install --no-deps --no-build-isolation .
COPY deploy/ready.py /usr/local/lib/adcat/ready.py

# The volumes take the owner of these folders.
RUN useradd --system --uid 10001 --create-home adcat \
 && mkdir -p /var/lib/adcat/keys && chown -R adcat /var/lib/adcat && chmod 700 /var/lib/adcat/keys
USER adcat
ENV ADCAT_HOME=/var/lib/adcat
ENTRYPOINT ["adcat"]
CMD ["--help"]
