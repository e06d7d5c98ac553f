package dev.sluice.route;
import java.lang.reflect.*; import java.util.*;
final class Dump {
    static Object get(Object o, String n) { try { Field f = o.getClass().getDeclaredField(n); f.setAccessible(true); return f.get(o);} catch (Exception e) { throw new RuntimeException(e);} }
    static void lanes(Streamer s) {
        StreamerContext c = (StreamerContext) get(s, "context");
        for (Lane l : c.lanes().all()) {
            System.out.println("LANE " + l.gatewayId());
            ((Map<?,?>) get(get(l,"queues"),"queues")).forEach((p,q) -> System.out.println("  " + p + " ready=" + get(q,"ready") + " held=" + get(q,"held") + " busy=" + get(q,"busy") + " rep=" + get(q,"representativeUnderWay") + " fresh=" + ((Collection<?>) get(q,"fresh")).size() + " lines=" + ((Collection<?>) get(q,"lines")).size() + " freed=" + ((Collection<?>) get(q,"freed")).size()));
            Object in = get(l,"inFlight");
            ((List<?>) get(in,"shipments")).forEach(x -> System.out.println("  shipment flying=" + get(x,"flying") + " left=" + ((List<?>) get(x,"left")).size() + " flows=" + ((Collection<?>) get(x,"flows")).size()+ " failures=" + get(x,"failures")));
            System.out.println("  buried " + ((Collection<?>) get(in,"buried")).size() + " flying " + get(in,"flying"));
        }
    }
}
