package dev.sluice.testkit.faults;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/** Messages of Kafka's protocol, without the length in front of them. */
final class KafkaMessages {
    private KafkaMessages() {}

    /** Returns the answer to a produce request by a broker that leads none of its partitions. */
    static byte[] notLeader(byte[] produceRequest) {
        ByteBuffer bytes = ByteBuffer.wrap(produceRequest);
        RequestHeader header = RequestHeader.parse(bytes);
        ProduceRequestData request = new ProduceRequestData(new ByteBufferAccessor(bytes), header.apiVersion());
        ProduceResponseData response = new ProduceResponseData();
        for (ProduceRequestData.TopicProduceData topic : request.topicData()) {
            List<ProduceResponseData.PartitionProduceResponse> refusals = topic.partitionData().stream()
                    .map(partition -> new ProduceResponseData.PartitionProduceResponse()
                            .setIndex(partition.index())
                            .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                            .setBaseOffset(-1))
                    .toList();
            response.responses()
                    .add(new ProduceResponseData.TopicProduceResponse()
                            .setName(topic.name())
                            .setTopicId(topic.topicId())
                            .setPartitionResponses(refusals));
        }
        return bytes(header.toResponseHeader(), response, header.apiVersion());
    }

    /** Returns the metadata with this port for every broker. */
    static byte[] metadataWithPort(RequestHeader request, byte[] response, int port) {
        short version = request.apiVersion();
        ByteBuffer bytes = ByteBuffer.wrap(response);
        ResponseHeader header = ResponseHeader.parse(bytes, request.apiKey().responseHeaderVersion(version));
        MetadataResponseData metadata = new MetadataResponseData(new ByteBufferAccessor(bytes), version);
        metadata.brokers().forEach(broker -> broker.setPort(port));
        return bytes(header, metadata, version);
    }

    private static byte[] bytes(ResponseHeader header, Message message, short version) {
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header.data(), header.headerVersion())
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(message, version).buffer();
        return ByteBuffer.allocate(head.remaining() + body.remaining())
                .put(head)
                .put(body)
                .array();
    }
}
