#!/bin/bash
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 $KAFKA_HEAP_OPTS -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
  -cp '/opt/kafka/libs/*' org.apache.kafka.tools.TopicCommand "$@"
