/* Debian builds libxml2 with ICU, whose headers collide with the copy inside Foundation. No type of
   ours needs them: the switch only adds private members at the end of a structure we never touch. */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
