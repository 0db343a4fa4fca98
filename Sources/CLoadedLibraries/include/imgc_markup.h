// The part of libxml2 that is used, declared by its ABI, which is the same from version 2.6 on. The
// library is loaded with the first document: it brings 35 MB of ICU along, which most runs of a
// program do not need.
#ifndef IMGC_MARKUP_H
#define IMGC_MARKUP_H

typedef struct imgc_xml_document imgc_xml_document;
typedef struct imgc_xml_context imgc_xml_context;

enum {
    IMGC_XML_ELEMENT = 1, IMGC_XML_TEXT = 3, IMGC_XML_CDATA = 4, IMGC_XML_ENTITY_REFERENCE = 5,
};

enum {
    IMGC_XML_RECOVER = 1, IMGC_XML_NO_DEFAULT_DOCTYPE = 1 << 2, IMGC_XML_NO_NETWORK = 1 << 11,
    IMGC_XML_MERGE_CDATA = 1 << 14, IMGC_XML_IGNORE_ENCODING = 1 << 21,
};

typedef struct imgc_xml_namespace {
    void *next;
    int type;
    const unsigned char *href, *prefix;
} imgc_xml_namespace;

// The members that elements, attributes and texts have alike.
#define IMGC_XML_NODE(Type)                                                                        \
    void *owner;                                                                                   \
    int type;                                                                                      \
    const unsigned char *name;                                                                     \
    struct imgc_xml_node *children, *last, *parent;                                                \
    Type *next, *previous;                                                                         \
    imgc_xml_document *document;                                                                   \
    imgc_xml_namespace *ns;

typedef struct imgc_xml_attribute {
    IMGC_XML_NODE(struct imgc_xml_attribute)
} imgc_xml_attribute;

typedef struct imgc_xml_node {
    IMGC_XML_NODE(struct imgc_xml_node)
    const unsigned char *content;
    imgc_xml_attribute *attributes;
} imgc_xml_node;

// A named character of HTML.
typedef struct imgc_html_entity {
    unsigned value;
} imgc_html_entity;

// The result, the name, the parameters.
#define IMGC_XML_FUNCTIONS(F)                                                                      \
    F(void, xmlInitParser, (void))                                                                 \
    F(imgc_xml_context *, xmlNewParserCtxt, (void))                                                \
    F(void, xmlFreeParserCtxt, (imgc_xml_context *))                                               \
    F(imgc_xml_document *, xmlCtxtReadMemory,                                                      \
      (imgc_xml_context *, const char *, int, const char *, const char *, int))                    \
    F(imgc_xml_context *, htmlNewParserCtxt, (void))                                               \
    F(imgc_xml_document *, htmlCtxtReadMemory,                                                     \
      (imgc_xml_context *, const char *, int, const char *, const char *, int))                    \
    F(void, xmlSetStructuredErrorFunc, (void *, void (*)(void *, const void *)))                    \
    F(void, xmlStopParser, (imgc_xml_context *))                                                   \
    F(void, xmlFreeDoc, (imgc_xml_document *))                                                     \
    F(imgc_xml_node *, xmlDocGetRootElement, (const imgc_xml_document *))                          \
    F(unsigned char *, xmlNodeGetContent, (const void *))                                          \
    F(const imgc_html_entity *, htmlEntityLookup, (const unsigned char *))

typedef struct imgc_xml_library {
#define IMGC_XML_MEMBER(result, name, parameters) result(*name) parameters;
    IMGC_XML_FUNCTIONS(IMGC_XML_MEMBER)
#undef IMGC_XML_MEMBER
    void (*release)(void *); // what `xmlNodeGetContent` returns
} imgc_xml_library;

// Loads libxml2, unless it is loaded already; NULL if it is not installed.
const imgc_xml_library *imgc_xml_load(void);

typedef struct imgc_xml_reading {
    imgc_xml_document *document;    // NULL if nothing could be read; the caller frees it
    int error_line;                 // of the first error that makes XML ill-formed; 0 for none
    int is_cut;                     // whether it took too long; the document has what came before
} imgc_xml_reading;

// Parses XML or HTML in UTF-8, and reads on after errors. Entities cannot be declared, nothing is
// written to stderr, and it takes half a second and 125 ns a byte of processor time at most, apart
// from a single tag or comment: the library looks up names and namespaces in linear lists.
imgc_xml_reading imgc_xml_read(const char *bytes, int count, int is_html, int options);

#endif
