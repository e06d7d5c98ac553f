package dev.sluice.bench;

/**
 * The protocol between an end user's client and a server. A client that comes again passes the last id it got; a protocol that
 * {@link #resumes} tells the server, which then sends what the client missed.
 */
interface ClientProtocol {
    String name();

    /** Whether a client that comes again gets the events it missed. */
    boolean resumes();

    /** Returns the request that opens the connection. */
    byte[] request(int client, String lastId);

    /** Returns the reader of one connection. */
    Reader reader(int client, String lastId, Events events);

    /** Reads what one connection receives. For one thread. */
    interface Reader {
        /**
         * Takes the next bytes and returns the bytes to send back, often none.
         *
         * @throws IllegalStateException when the server refuses the connection or breaks the protocol
         */
        byte[] read(byte[] bytes, int length);
    }

    /** Hears what a connection received. */
    interface Events {
        /** The server has accepted the connection. */
        void opened();

        /** The server refused what the client asked; the client asks again. */
        void refused();

        void event(int number);

        /** The client will come again with this id. */
        void lastId(String id);
    }
}
