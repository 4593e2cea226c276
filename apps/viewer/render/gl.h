// OpenGL for the renderer: what OpenGL 3.3 core and OpenGL ES 3.0 (WebGL 2) have in common.
#ifndef LIMBER_VIEWER_GL_H
#define LIMBER_VIEWER_GL_H

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif

// The one extension that is used where it is there.
#ifndef GL_TEXTURE_MAX_ANISOTROPY_EXT
#define GL_TEXTURE_MAX_ANISOTROPY_EXT 0x84FE
#define GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT 0x84FF
#endif

#endif
